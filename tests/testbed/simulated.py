# SPDX-License-Identifier: Apache-2.0
"""What the simulator says of a step, and what a scheme's file says that the ranks exchange."""
import json
import subprocess
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLLECTIVES = ("ring", "all_to_all", "all_gather")  # the functions of exchange.py


class InputError(Exception):
    """One line: what is wrong, where, and what to do."""


def rule(build, scheme):
    """The Rule of exchange.py as a dictionary, from the scheme's [gradients]."""
    described = tomllib.loads(_scheme_file(build, scheme))
    gradients = described.get("gradients", {"collective": "ring"})
    runs = 0 in described.get("zero", []) and gradients["collective"] in COLLECTIVES
    if not runs or "method" in gradients or "group" in gradients:
        raise InputError(f"--schemes: {scheme}: the testbed exchanges the gradients of ZeRO stage 0 by "
                         f"{', '.join(COLLECTIVES)}, without method and group; choose such a scheme")
    return {"collective": gradients["collective"], "codec": gradients.get("codec", "fp32"),
            "feedback": gradients.get("residual", "none") != "none"}


def step(options, scheme, bucket_mib):
    """The report of `gardenhose run`; gradients overlap if there are buckets."""
    overlap = (["--overlap", "gradients", "--bucket-size", f"{bucket_mib}MiB"] if bucket_mib
               else ["--overlap", "none"])
    delay = ["--set", f"network.latency={options.delay_ms} ms"] if options.delay_ms else []
    said = gardenhose(
        options.build, "run", "--topology", HERE / "host.toml", "--nodes", str(options.ranks),
        "--model", HERE / "model.toml", "--scheme", scheme, "--zero", "0", "--calibration", "roofline",
        "--host-issue", "0 s", "--set", f"network.nic_bandwidth={options.rate} bps", "--range", "off",
        "--format", "json", *delay, *overlap)
    return json.loads(said)


def gardenhose(build, *arguments):
    try:
        done = subprocess.run([build / "gardenhose", *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    except OSError as error:
        raise InputError(f"--build: {error.filename}: {error.strerror}") from None
    if done.returncode != 0:
        raise InputError(done.stderr.strip())
    return done.stdout


def _scheme_file(build, scheme):
    if scheme.endswith(".toml"):
        try:
            return Path(scheme).read_text()
        except OSError as error:
            raise InputError(f"--schemes: {scheme}: {error.strerror}") from None
    return gardenhose(build, "list", "scheme", scheme)
