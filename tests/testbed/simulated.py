# SPDX-License-Identifier: Apache-2.0
"""What the simulator says of a step or a round."""
import json
import os
import re
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


def site_round(options, scheme):
    """The same, of processes as sites that train apart. Both files stay in memory: nothing is left when
    this process is killed."""
    cluster = (HERE / "host.toml").read_text()
    line = f'nic_bandwidth = "{options.rate} bps"'
    with _in_memory(re.sub("(?m)^nic_bandwidth *=.*$", line, cluster)) as cluster_file:
        sites = (HERE / "sites.toml").read_text().replace('"host.toml"', f'"{_path(cluster_file)}"')
        with _in_memory(sites) as sites_file:
            return _report(options, scheme, "--topology", _path(sites_file), "--overlap", "none",
                           "--set", f"scheme.inner_steps={options.inner_steps}",
                           "--set", f"sites.site.count={options.ranks}",
                           "--set", f"sites.site.uplink={options.rate} bps",
                           "--set", f"sites.site.downlink={options.rate} bps",
                           "--set", f"links.line.latency={_latency(options)}",
                           files=[cluster_file.fileno(), sites_file.fileno()])


def gardenhose(build, *arguments, files=()):
    try:
        done = subprocess.run([build / "gardenhose", *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, pass_fds=files)
    except OSError as error:
        raise InputError(f"--build: {error.filename}: {error.strerror}") from None
    if done.returncode != 0:
        raise InputError(done.stderr.strip())
    return done.stdout


def _report(options, scheme, *arguments, files=()):
    return json.loads(gardenhose(
        options.build, "run", "--model", MODEL, "--scheme", scheme, "--calibration", "roofline",
        "--host-issue", "0 s", "--range", "off", "--format", "json", *arguments, files=files))


def _latency(options):
    if options.delay_ms:
        return f"{options.delay_ms} ms"
    return tomllib.loads((HERE / "host.toml").read_text())["network"]["latency"]


def _in_memory(text):
    file = os.fdopen(os.memfd_create("testbed"), "w")
    file.write(text)
    file.flush()
    return file


def _path(file):
    return f"/proc/self/fd/{file.fileno()}"
