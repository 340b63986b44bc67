#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints frozen times of kernels on an H100 beside what was measured afterwards.

    traces/predictions/compare.py FROZEN.csv MEASURED

MEASURED: a table of tests/gpu/rates.py (.csv) or of gardenhose-calibrate (.json).
"""
import csv
import json
import sys
from pathlib import Path


def rows_of(path):
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def name_of(row):
    """Of a row of either kind of table."""
    if "kernel" in row:
        return row["kernel"]
    wires = f" of {row['inputs']}" if int(row["inputs"]) > 1 else ""
    return (f"{row['codec']} {row['operation']}{wires}, {8 * int(row['value_bytes'])} bits, "
            f"{row['elements']}")


def measured_s(path):
    """Seconds by name."""
    if not path.endswith(".json"):
        return {name_of(row): float(row["median_s"]) for row in rows_of(path)}
    with open(path, encoding="utf-8") as file:
        codecs = json.load(file)["codecs"]
    return {name_of(row | {"elements": elements}): seconds for row in codecs if not row["to"]
            for elements, seconds in zip(row["elements"], row["median_s"])}


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    took, errors = measured_s(sys.argv[2]), []
    frozen = [row for row in rows_of(sys.argv[1]) if name_of(row) in took]
    width = max(len(name_of(row)) for row in frozen)
    print(f"{'kernel':{width}} {'measured, us':>13} {'predicted':>10} {'off by':>7}")
    for row in frozen:
        real, said = took[name_of(row)], float(row["h100_s"])
        errors.append(abs(said / real - 1))
        print(f"{name_of(row):{width}} {real * 1e6:13.1f} {said * 1e6:10.1f} {said / real - 1:+7.0%}")
    print(f"mean of {len(errors)}: {sum(errors) / len(errors):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
