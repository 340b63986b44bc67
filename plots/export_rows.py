# SPDX-License-Identifier: Apache-2.0
"""Reads rows of `gardenhose export --format csv` and selects those that a picture shows."""

import re

import picture

SOURCE = "gardenhose export STORE --format csv"
# Of the columns that have an input's number, such as in_network_nic_bandwidth_Bps.
UNITS = ("Bps", "bytes", "s", "flops_per_s", "W", "usd", "usd_per_s", "usd_per_byte", "usd_per_J",
         "usd_per_s_per_Bps")
SYMBOLS = {"s": "s", "usd": "USD", "bytes": "B", "Bps": "B/s", "j": "J"}
HELP = "KEY=VALUE: plot only points with this value of an input; may be repeated"


def add_where(parser):
    parser.add_argument("--where", action="append", default=[], metavar="KEY=VALUE", help=HELP)


def column_of(rows, name):
    """The column of an input or a figure, spelt as in a spec or as in the CSV."""
    bare = name.replace("-", "_").replace(".", "_")
    for column in (name, "in_" + bare, bare):
        if column in rows[0]:
            return column
    names = [key.removeprefix("in_") for key in rows[0]]
    return picture.refuse(f"no column {name}; known: {', '.join(dict.fromkeys(names))}")


def label_of(column):
    """As an axis calls it."""
    names = {"speedup": "speed-up (×)", "mfu": "MFU (share of the peak)", "gpus": "GPUs (count)",
             "nodes": "nodes (count)", "in_network_nic_bandwidth": "bandwidth per NIC",
             "tokens_per_s": "tokens per second (1/s)", "step_time_s": "step time (s)",
             "tp": "tensor parallelism (ranks)"}
    bare = column.removeprefix("in_")
    unit = re.search(r"_(s|usd|bytes|Bps|j)$", bare)
    return names.get(column) or names.get(bare) or (
        f"{bare[:unit.start()]} ({SYMBOLS[unit[1]]})" if unit else bare).replace("_", " ")


def selected(rows, conditions):
    """The points with figures that fulfil all conditions."""
    rows = [row for row in rows if row["state"] in ("done", "too_large")]
    if not rows:
        picture.refuse("no point has results; run the sweep first")
    for condition in conditions:
        key, equals, value = condition.partition("=")
        if not equals:
            picture.refuse(f"--where: '{condition}' is not KEY=VALUE")
        column = column_of(rows, key)
        known = list(dict.fromkeys(row[column] for row in rows))
        rows = [row for row in rows if row[column] == value]
        if not rows:
            picture.refuse(f"--where: no point has {condition}; known here: {', '.join(known)}")
    return rows


def check_all_shown(rows, shown, more=""):
    """Refuses points that differ in an input that the picture does not show; --where chooses among
    them, and `more` is what else a user can do."""
    keys = [tuple(row[column] for column in shown) for row in rows]
    if len(set(keys)) == len(keys):
        return
    known = {column.removeprefix("in_") for column in shown}
    numbers = {f"{column}_{unit}" for column in rows[0] for unit in UNITS}
    free = [column for column in rows[0] if column.startswith("in_") and column not in numbers and
            column.removeprefix("in_") not in known and len({row[column] for row in rows}) > 1]
    names = ", ".join(f"--where {column.removeprefix('in_')}={rows[0][column]}" for column in free)
    picture.refuse("several points fall on the same place; select some" +
                   (f", e.g. {names}{more}" if names else ": some points are there twice"))
