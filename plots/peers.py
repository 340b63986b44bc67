#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots Gardenhose's rate and the best peer's for each operation, as measured by tests/peers/peers.py.

    plots/peers.py < traces/calibration/peers/peers.json > plots/peers.svg
"""

import os
import sys

import looks
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
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.26 * max(6, len(rows))))
    places = range(len(rows))
    ours = [row["times_faster"] * row["bandwidth_Bps"] / 1e9 for row in rows]
    axes.barh([place - 0.2 for place in places], ours, 0.38, color=looks.COLOURS["blue"], label="Gardenhose")
    axes.barh([place + 0.2 for place in places], [row["bandwidth_Bps"] / 1e9 for row in rows],
              0.38, color=looks.COLOURS["grey"], label="best peer, named at its bar")
    for place, row in zip(places, rows):
        rate, median, spread = row["bandwidth_Bps"] / 1e9, row["median_s"], row["spread_s"]
        ends = (rate * median / (median + spread), rate * median / max(median - spread, median / 2))
        looks.ranges(axes, [(rate, place + 0.2, *ends)], upright=False, on_bar=True)
        axes.text(ends[1], place + 0.22, " " + row["peer"], fontsize=6,
                  va="center")
    copy = result["copy_bandwidth_Bps"] / 1e9
    axes.axvline(copy, color=looks.INK, linewidth=0.8)
    axes.text(copy, -0.9, "a copy", fontsize=7, ha="center")
    axes.set_yticks(list(places), [" ".join(report.name_of(row)) for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel(f"bytes moved (GB/s), {size} MiB of float32 input, {result['gpu']}", fontsize=8)
    axes.legend(fontsize=7, loc="lower right", frameon=False)
    axes.set_ylabel("codec and operation", fontsize=8)
    looks.note(figure, "Lines with ends: median time of the peer, more or less its spread. Gardenhose's own: its calibration table.")
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
