#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots Gardenhose's rate and the best peer's for each operation, as measured by tests/peers/peers.py.

    plots/peers.py < traces/calibration/peers/peers.json > plots/peers.svg
"""

import os
import sys

import picture
from picture import plt

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/peers"))
import report  # noqa: E402


def read_rows(stream):
    """(result, its best peers' rows of the size that has most of them)."""
    try:
        result = picture.read_json(stream)
        rows = report.best_rows(result)
    except (ValueError, KeyError, TypeError):
        rows = []
    if not rows:
        picture.refuse("no rows on standard input; pipe in the peers.json of "
                 "tests/peers/run.sh")
    if "kind" in result:
        picture.refuse(f"{result['kind']}: cannot be plotted")
    sizes = [size_of(row) for row in rows]
    usual = max(sorted(set(sizes)), key=sizes.count)
    return result, [row for row in rows if size_of(row) == usual], usual


def size_of(row):
    """In MiB; inputs whose number does not divide it round down."""
    return 1 << max(0, round(4 * row["elements"] * row["inputs"] / 2**20) - 1).bit_length()


def main():
    result, rows, size = read_rows(sys.stdin)
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.26 * len(rows)))
    places = range(len(rows))
    ours = [row["times_faster"] * row["bandwidth_Bps"] / 1e9 for row in rows]
    axes.barh([place - 0.2 for place in places], ours, 0.38, color="#1f6fb4", label="Gardenhose")
    axes.barh([place + 0.2 for place in places], [row["bandwidth_Bps"] / 1e9 for row in rows],
              0.38, color="#c8c8c8", label="best peer, named at its bar")
    for place, row in zip(places, rows):
        axes.text(row["bandwidth_Bps"] / 1e9, place + 0.22, " " + row["peer"], fontsize=6,
                  va="center")
    copy = result["copy_bandwidth_Bps"] / 1e9
    axes.axvline(copy, color="black", linewidth=0.8)
    axes.text(copy, -0.9, "a copy", fontsize=7, ha="center")
    axes.set_yticks(list(places), [" ".join(report.name_of(row)) for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel(f"GB/s moved, {size} MiB of float32 input, {result['gpu']}", fontsize=8)
    axes.legend(fontsize=7, loc="lower right", frameon=False)
    figure.tight_layout()
    picture.save(figure)


if __name__ == "__main__":
    main()
