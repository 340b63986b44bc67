#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the bandwidth that each scheme needs for a compute utilisation, from the output of `solve`.

    build/release/gardenhose solve bandwidth ... --format csv | plots/utilisation.py > picture.svg
"""

import csv
import sys

import picture
from picture import plt

GOAL = "utilisation "
AXES = {
    "Gbps": ("narrowest bandwidth between sites, Gbps", "compute utilisation, %"),
    "Gbps per NIC": ("bandwidth per NIC, Gbps", "speed relative to unlimited NICs, %"),
}


def read_curves(lines):
    """By scheme: (bandwidth in Gbps, utilisation) where a bandwidth was found; and titles."""
    curves, title, axes = {}, "", ("", "")
    for row in csv.DictReader(lines):
        if row["unknown"] != "bandwidth" or not row["goal"].startswith(GOAL):
            picture.refuse("plots only the output of `solve bandwidth --utilisation ... --format csv`")
        title = f"{row['model']} on {row['topology']}"
        axes = AXES[row["unit"]]
        if row["met_at"]:
            point = (float(row["met_at"]), float(row["goal"][len(GOAL):]))
            curves.setdefault(row["scheme"], []).append(point)
    if not curves:
        picture.refuse("no rows on standard input; pipe in `solve bandwidth --format csv`")
    return curves, title, axes


def main():
    curves, title, (across, up) = read_curves(sys.stdin)
    figure, axes = plt.subplots(figsize=(7.2, 3.6))
    for scheme, points in curves.items():
        bandwidths, shares = zip(*sorted(points))
        axes.plot(bandwidths, [100 * share for share in shares], marker="o", markersize=3,
                  linewidth=1, label=scheme)
    axes.set_xscale("log")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_ylim(0, 102)
    axes.set_title(title, fontsize=9)
    axes.grid(color="#e6e6e6", linewidth=0.5)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    figure.tight_layout()
    picture.save(figure)


if __name__ == "__main__":
    main()
