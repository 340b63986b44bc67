# SPDX-License-Identifier: Apache-2.0
"""Reads reports of `gardenhose run --format json`, their parts and their likely ranges."""

import sys

import looks
import picture

# Labels of the parts of a step, as reports have them; they sum to its time.
PARTS = {"compute_s": "compute", "exposed_comm_s": "exposed communication", "codec_s": "codec kernels",
         "optimizer_s": "optimizer", "other_s": "passes over buffers", "host_s": "waiting for the host",
         "bubble_s": "waiting"}


def read(least=1):
    """At least so many reports of steps or rounds on standard input."""
    try:
        reports = picture.read_json(sys.stdin)
    except ValueError:
        reports = None
    reports = reports if isinstance(reports, list) else [reports]
    if len(reports) < least or not all(isinstance(one, dict) and "compute_s" in one for one in reports):
        picture.refuse("no reports on standard input; pipe in `gardenhose run ... --format json`" +
                       (" of a scheme and its --baseline" if least > 1 else ""))
    return reports


def fill(part):
    return looks.fill(looks.LOOKS["parts"][part])


def parts_of(row):
    """Seconds of each part of a report, or of a row of a CSV, whose older stores lack some."""
    return {part: float(row.get(part) or 0) for part in PARTS}


def time_range(row, time):
    """The likely range of a time that is inversely proportional to the rate of tokens; Nones if unknown."""
    rates = [picture.number(str(row.get(f"tokens_per_s{end}") or "")) for end in ("", "_high", "_low")]
    if None in rates:
        return None, None
    return time * rates[0] / rates[1], time * rates[0] / rates[2]


def unit_of(most):
    """The unit in which times up to this many seconds are read with ease, and its name."""
    return (1, "s") if most >= 1 else (1e-3, "ms")


def what_of(reports):
    """What the reports are of: "step", "round" or both."""
    return " or ".join(sorted({"round" if one.get("round_time_s") else "step" for one in reports}))


def title_of(report):
    return f"{report['model']} on {report['gpus']} GPUs of {report['topology']}"
