# SPDX-License-Identifier: Apache-2.0
"""What the simulator says of a job: the flags of `gardenhose run` for it, and the answer. Files that the flags
name without a folder are those of INPUTS, which the host and the grid were measured with."""
import json
import os
import subprocess
from pathlib import Path

INPUTS = Path(__file__).resolve().parents[2] / "traces/measured/testbed"
# Of a segment's 1514 bytes the headers take 66 on one way, and those of the acknowledgement of every second
# segment 33 on the other.
PAYLOAD = 1448 / (1514 + 33)


class InputError(Exception):
    """One line: what is wrong, where, and what to do."""


def flags_of(options, scheme, rules):
    if rules["kind"] == "round":
        return round_flags(options, scheme)
    return step_flags(options, scheme, rules.get("stage", 0))


def step_flags(options, scheme, stage=0):
    """What a scheme sends overlaps if there are buckets."""
    overlap = ["--overlap", "all", "--bucket-size", f"{options.bucket_mib}MiB"] if options.bucket_mib else []
    delay = ["--set", f"network.latency={options.delay_ms}ms"] if options.delay_ms else []
    return _flags(options, scheme, "--topology", options.host_file, "--nodes", str(options.ranks),
                  "--zero", str(stage), "--set", f"network.nic_bandwidth={options.rate}bps", *delay, *overlap)


def round_flags(options, scheme):
    """Of processes as sites that train apart."""
    line = f"{round(options.rate * PAYLOAD)}bps"
    delay = ["--set", f"links.line.latency={options.delay_ms}ms"] if options.delay_ms else []
    return _flags(options, scheme, "--topology", "sites.toml",
                  "--set", f"sites.site.cluster={options.host_file}",
                  "--set", f"scheme.inner_steps={options.inner_steps}",
                  "--set", f"sites.site.count={options.ranks}", "--set", f"sites.site.uplink={line}",
                  "--set", f"sites.site.downlink={line}", *delay)


def _flags(options, scheme, *others):
    return ["--model", options.model, "--scheme", scheme, "--calibration", "roofline", "--host-issue", "0s",
            "--host-codecs", options.codecs_file, *others]


def report(build, flags):
    return json.loads(gardenhose(build, "run", *flags, "--range", "off", "--format", "json"))


def timeline(build, flags, stream="compute"):
    """Names and seconds of what is on a stream of the first GPU, in order."""
    with _in_memory() as file:
        path = f"/proc/self/fd/{file.fileno()}"
        gardenhose(build, "run", *flags, "--range", "off", "--perfetto", path, files=[file.fileno()])
        file.seek(0)
        events = json.load(file)["traceEvents"]
    of_first = [event for event in events if event["pid"] == 0]
    (thread,) = (event["tid"] for event in of_first if event["ph"] == "M" and event["name"] == "thread_name" and
                 event["args"]["name"] == stream)
    return [(event["name"], event["dur"] / 1e6) for event in of_first
            if event["ph"] == "X" and event["tid"] == thread]


def gardenhose(build, *arguments, files=()):
    try:
        done = subprocess.run([build / "gardenhose", *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, pass_fds=files, cwd=INPUTS)
    except OSError as error:
        raise InputError(f"--build: {error.filename}: {error.strerror}") from None
    if done.returncode != 0:
        raise InputError(done.stderr.strip())
    return done.stdout


def _in_memory():
    """Nothing is left when this process is killed."""
    return os.fdopen(os.memfd_create("testbed"), "w+")
