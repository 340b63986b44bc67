# SPDX-License-Identifier: Apache-2.0
"""What the simulator says of a step."""
import json
import subprocess
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODEL = HERE / "model.toml"


class InputError(Exception):
    """One line: what is wrong, where, and what to do."""


def step(options, scheme, stage, bucket_mib):
    """The report of `gardenhose run`; what a scheme sends overlaps if there are buckets."""
    overlap = (["--overlap", "all", "--bucket-size", f"{bucket_mib}MiB"] if bucket_mib
               else ["--overlap", "none"])
    return _report(options, scheme, "--topology", HERE / "host.toml", "--nodes", str(options.ranks),
                   "--zero", str(stage), "--set", f"network.nic_bandwidth={options.rate} bps",
                   "--set", f"network.latency={_latency(options)}", *overlap)


def gardenhose(build, *arguments):
    try:
        done = subprocess.run([build / "gardenhose", *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    except OSError as error:
        raise InputError(f"--build: {error.filename}: {error.strerror}") from None
    if done.returncode != 0:
        raise InputError(done.stderr.strip())
    return done.stdout


def _report(options, scheme, *arguments):
    return json.loads(gardenhose(
        options.build, "run", "--model", MODEL, "--scheme", scheme, "--calibration", "roofline",
        "--host-issue", "0 s", "--range", "off", "--format", "json", *arguments))


def _latency(options):
    if options.delay_ms:
        return f"{options.delay_ms} ms"
    return tomllib.loads((HERE / "host.toml").read_text())["network"]["latency"]
