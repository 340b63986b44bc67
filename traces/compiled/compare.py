#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions for each element of two tables of one architecture, of the rows where they differ by a percent.

    traces/compiled/compare.py OLD.csv NEW.csv [CODEC ...]

For example, what became of the kernels that H100 and H200 measured:

    traces/compiled/compare.py traces/compiled/measured/sm_90.csv traces/compiled/sm_90.csv
"""
import csv
import statistics
import sys

from count import KEY
from pipes import PIPES

LEAST = 0.01  # less is what a compiler makes of the same kernel


def rows_in(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {tuple(row[name] for name in KEY): row for row in rows}


def instructions(row):
    return sum(float(row[pipe] or 0) for pipe in PIPES)


def changes(old, new):
    """(key, instructions before, after) of rows that both have, and that differ."""
    both = [(key, instructions(old[key]), instructions(row)) for key, row in new.items() if key in old]
    return [(key, before, after) for key, before, after in both if abs(after - before) > LEAST * before]


def main(arguments):
    if len(arguments) < 2 or "--help" in arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    old, new = (rows_in(path) for path in arguments[:2])
    found = [one for one in changes(old, new) if not arguments[2:] or one[0][0] in arguments[2:]]
    print(f"{'kernel':50}  before  after  change")
    for (codec, operation, inputs, value_bytes, to), before, after in found:
        name = f"{codec} {operation}{f' of {inputs}' if inputs != '1' else ''}{f' to {to}' if to else ''}"
        print(f"{name + (', BF16' if value_bytes == '2' else ''):50}  {before:6.1f} {after:6.1f}  "
              f"{100 * (after / before - 1):+5.0f} %")
    if found:
        ratios = [after / before for _, before, after in found]
        print(f"{len(found)} of {len(new)} rows; median of all {100 * (statistics.median(ratios) - 1):+.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
