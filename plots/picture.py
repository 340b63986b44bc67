# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder have in common: tables from standard input, quantities with units,
and the same picture for the same numbers."""

import csv
import functools
import importlib.util
import io
import json
import os
import re
import sys

import looks

if importlib.util.find_spec("matplotlib") is None:
    sys.exit("plots need matplotlib: apt-get install python3-matplotlib, or python3 plots/NAME.py with "
             "a python3 that has it")


@functools.cache
def _pyplot():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "gardenhose"
    matplotlib.rcParams["svg.fonttype"] = "none"  # text that can be searched and selected
    matplotlib.rcParams["font.sans-serif"] = ["DejaVu Sans"]
    matplotlib.rcParams["axes.axisbelow"] = True  # ranges lie on grid lines
    for name in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"):
        matplotlib.rcParams[name] = looks.INK
    import matplotlib.pyplot
    return matplotlib.pyplot


class _Plt:
    """matplotlib.pyplot, imported when something is drawn: that takes longer than to refuse an input."""

    def __getattr__(self, name):
        return getattr(_pyplot(), name)


plt = _Plt()


def engineering_formatter():
    """Ticks such as 10k and 2M."""
    _pyplot()
    from matplotlib.ticker import EngFormatter
    return EngFormatter(sep="")


def logarithmic(axis, name):
    """Makes the axis "x" or "y" logarithmic, with ticks at 1, 2 and 5 that are plain numbers."""
    _pyplot()
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
    getattr(axis, f"set_{name}scale")("log")
    ticks = getattr(axis, f"{name}axis")
    ticks.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ticks.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.12g}"))
    ticks.set_minor_locator(NullLocator())


GRID = {"color": "#e0e0e0", "linewidth": 0.5}

UNITS = {"bps": 1 / 8, "Bps": 1, "B": 1, "s": 1, "FLOPs": 1}
PREFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "Ki": 2**10, "Mi": 2**20,
            "Gi": 2**30, "Ti": 2**40, "m": 1e-3, "u": 1e-6, "n": 1e-9}
QUANTITY = re.compile(r"([0-9.eE+-]+?)\s*(Ki|Mi|Gi|Ti|[kMGTPmun])?(bps|Bps|B|s|FLOPs)")


def refuse(text):
    """Ends the script with one line."""
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def read_json(stream):
    """What JSON on the stream holds; raises ValueError for anything else."""
    try:
        return json.load(stream)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def rows_of(stream):
    """The rows of a CSV; none if it is something else."""
    try:
        return list(csv.DictReader(stream))
    except (csv.Error, UnicodeDecodeError):
        return []


def read_rows(columns, source):
    """The rows of a CSV on standard input that has these columns; else says what to pipe in."""
    rows = rows_of(sys.stdin)
    if not rows or any(column not in rows[0] for column in columns):
        refuse(f"no rows with {', '.join(columns)} on standard input; pipe in `{source}`")
    return rows


def number(text):
    """12.5, or in base units "100 Gbps"; None for what is neither."""
    try:
        return float(text)
    except (TypeError, ValueError):
        match = QUANTITY.fullmatch(text or "")
    try:
        return float(match[1]) * PREFIXES[match[2] or ""] * UNITS[match[3]] if match else None
    except ValueError:
        return None


def in_order(values):
    """Each value once, by size where all have one, else as they come."""
    known = list(dict.fromkeys(values))
    sized = all(number(value) is not None for value in known)
    return sorted(known, key=number) if sized else known


def shorter(number):
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def save(figure):
    """Hundredths of a point are enough, and half as long."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", drawn.getvalue())
    # Of places alone: texts keep their digits.
    sys.stdout.write(re.sub(r"<\w[^>]*>", lambda tag: re.sub(r"\d+\.\d{3,}", shorter, tag[0]), text))
