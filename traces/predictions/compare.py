#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints frozen times of kernels beside what was measured afterwards.

    traces/predictions/compare.py FROZEN.csv MEASURED [h100|h200]

FROZEN has a column kernel, or the columns of traces/calibration's rows, and h100_s or h200_s. MEASURED: a
table of tests/gpu/rates.py (.csv) or of gardenhose-calibrate (.json). What has no prediction or was not
measured is counted at the end.
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
    to = f" to {row['to']}" if row.get("to") else ""
    return (f"{row['codec']} {row['operation']}{wires}{to}, {8 * int(row['value_bytes'])} bits, "
            f"{row['elements']}")


def measured_s(path):
    """Seconds by name."""
    if not path.endswith(".json"):
        return {name_of(row): float(row["median_s"]) for row in rows_of(path)}
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    steps = [row | {"codec": row["method"], "operation": row["step"], "inputs": row.get("ranks", 1),
                    "value_bytes": 4} for row in table.get("methods", [])]
    return {name_of(row | {"elements": elements}): seconds for row in table["codecs"] + steps
            for elements, seconds in zip(row["elements"], row["median_s"])}


def pairs_of(frozen, column, took):
    """(name, measured, predicted), and how many rows lack one of both."""
    pairs = [(name_of(row), took[name_of(row)], float(row[column])) for row in frozen
             if name_of(row) in took and row[column] not in ("", "-")]
    return pairs, len(frozen) - len(pairs)


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    column = (sys.argv[3] if len(sys.argv) > 3 else "h100") + "_s"
    try:
        pairs, missing = pairs_of(rows_of(sys.argv[1]), column, measured_s(sys.argv[2]))
    except (OSError, KeyError, ValueError) as error:
        what = f"no column {error}" if isinstance(error, KeyError) else error
        print(f"compare.py: {sys.argv[1]}, {sys.argv[2]}: {what}", file=sys.stderr)
        return 2
    if not pairs:
        print(f"compare.py: {sys.argv[2]} has none of the kernels of {sys.argv[1]}", file=sys.stderr)
        return 2
    width = max(len(name) for name, _, _ in pairs)
    print(f"{'kernel':{width}} {'measured, us':>13} {'predicted':>10} {'off by':>7}")
    for name, real, said in pairs:
        print(f"{name:{width}} {real * 1e6:13.1f} {said * 1e6:10.1f} {said / real - 1:+7.0%}")
    mean = sum(abs(said / real - 1) for _, real, said in pairs) / len(pairs)
    print(f"mean of {len(pairs)}: {mean:.1%}" + (f"; {missing} without both" if missing else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
