#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the bandwidth between every two GPUs as a heat map, from the output of `collective --pairs`.

    build/release/gardenhose collective --pairs "64 MiB" --topology dgx_h100_x16 --nodes 2 \\
      --format csv | plots/pair_bandwidth.py > picture.svg
"""

import looks
import picture
from picture import plt

COLUMNS = ["from", "to", "time_s", "bandwidth_Bps"]
SOURCE = "gardenhose collective --pairs ... --format csv"
MOST_TICKS = 16


def read_matrix():
    """Bandwidths in GB/s by sender and receiver; not a number from a GPU to itself."""
    rates = {}
    try:
        for row in picture.read_rows(COLUMNS, SOURCE):
            rates[int(row["from"]), int(row["to"])] = float(row["bandwidth_Bps"]) / 1e9
    except (TypeError, ValueError):
        picture.refuse(f"a row without numbers; pipe in `{SOURCE}`")
    ranks = 1 + max(max(pair) for pair in rates)
    if len(rates) != ranks * (ranks - 1):
        picture.refuse(f"{len(rates)} of {ranks * (ranks - 1)} pairs; pipe in the whole output")
    return [[rates.get((sender, receiver), float("nan")) for receiver in range(ranks)]
            for sender in range(ranks)]


def main():
    matrix = read_matrix()
    figure, axes = plt.subplots(figsize=(5.6, 4.6))
    rates = [rate for row in matrix for rate in row if rate == rate]
    # NVLink is ten times as fast as a NIC: a logarithm shows both.
    norm = plt.matplotlib.colors.LogNorm(min(rates), max(max(rates), 1.01 * min(rates)))
    cells = axes.pcolormesh(matrix, cmap="cividis", norm=norm, rasterized=len(matrix) > 64)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    shown = range(0, len(matrix), -(-len(matrix) // MOST_TICKS))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([rank + 0.5 for rank in shown], [str(rank) for rank in shown], fontsize=8)
        axis.set_tick_params(length=0)
    axes.set_xlabel("to GPU (number)", fontsize=9)
    axes.set_ylabel("from GPU (number)", fontsize=9)
    figure.colorbar(cells, ax=axes, shrink=0.85).set_label("bandwidth (GB/s)", fontsize=9)
    picture.logarithmic(figure.axes[-1], "y")
    looks.note(figure, "`collective --pairs` predicts no likely ranges.")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
