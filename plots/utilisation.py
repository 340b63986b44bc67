#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the bandwidth that each scheme needs for a compute utilisation, from the output of `solve`.

    build/release/gardenhose solve bandwidth ... --format csv | plots/utilisation.py > picture.svg
"""

import csv
import sys

import looks
import picture
from picture import plt

GOAL = "utilisation "
AXES = {
    "Gbps": ("narrowest bandwidth between sites (Gb/s)", "compute utilisation (%)"),
    "Gbps per NIC": ("bandwidth per NIC (Gb/s)", "speed relative to unlimited NICs (%)"),
}


def read_curves(lines):
    """By scheme: (bandwidth in Gbps, utilisation in percent, likely bandwidths) where a bandwidth was found;
    and titles."""
    curves, title, axes = {}, "", ("", "")
    for row in csv.DictReader(lines):
        if row["unknown"] != "bandwidth" or not row["goal"].startswith(GOAL):
            picture.refuse("plots only the output of `solve bandwidth --utilisation ... --format csv`")
        title = f"{row['model']} on {row['topology']}"
        axes = AXES[row["unit"]]
        if row["met_at"]:
            point = (float(row["met_at"]), 100 * float(row["goal"][len(GOAL):]),
                     picture.number(row.get("met_at_low")), picture.number(row.get("met_at_high")))
            curves.setdefault(row["scheme"], []).append(point)
    if not curves:
        picture.refuse("no rows on standard input; pipe in `solve bandwidth --format csv`")
    return curves, title, axes


def main():
    curves, title, (across, up) = read_curves(sys.stdin)
    figure, axes = plt.subplots(figsize=(8.4, 4.4))
    ranged = False
    for place, (scheme, points) in enumerate(curves.items()):
        bandwidths, shares, *_ = zip(*sorted(points))
        look = looks.scheme_style(scheme, place)
        axes.plot(bandwidths, shares, markersize=4.5, linewidth=1.2, label=scheme, **look)
        ranged |= looks.ranges(axes, points, look["color"], upright=False)
    picture.logarithmic(axes, "x")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_ylim(0, 102)
    axes.set_yticks(range(0, 101, 10))
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(**picture.GRID)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    looks.note(figure, looks.LIKELY if ranged else "These bandwidths have no likely range.")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
