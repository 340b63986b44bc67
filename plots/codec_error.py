#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the error of every codec against the bits that it sends, from the table of codec errors.

    plots/codec_error.py < traces/calibration/codec_error.json > codec_error.svg

Named are the codecs that no other codec beats in both, and the best known of the others.
"""

import sys

import labels
import looks
import picture
from picture import plt

PANELS = {"normal": "normal values", "student_t3": "heavy tails (Student's t, 3 degrees)"}
FRONT, BEHIND = looks.COLOURS["blue"], looks.COLOURS["grey"]
KNOWN = ["bf16", "fp8_e4m3", "mxfp8", "mxfp4", "nvfp4", "int8_g128_hadamard_sr", "int4_g2048_sr",
         "int4_g128_hadamard_sr", "int4_full_g2048", "terngrad", "sign_g2048", "natural",
         "qsgd_int4_g512", "sparseloco", "demo_top32", "eden1_g4096"]


def read_points(table, distribution):
    """(bits an element, relative L2, codec, lowest and highest of the seeds) of each codec that has an
    error."""
    points = []
    for codec, row in table["codecs"].items():
        if distribution not in row:
            picture.refuse(f"no distribution {distribution}; known: {', '.join(row)}")
        of = row[distribution]
        if of["relative_l2"]:
            seeds = of.get("by_seed", [of["relative_l2"]])
            points.append((table["bits_per_element"][codec], of["relative_l2"], codec, min(seeds), max(seeds)))
    return sorted(points)


def front(points):
    """The codecs that lose less than all that send no more."""
    best, names = float("inf"), set()
    for _, error, codec, *_ in points:
        if error < best:
            best, names = error, names | {codec}
    return names


def draw(axes, points, title):
    on_front = front(points)
    for bits, error, codec, *_ in points:
        colour = FRONT if codec in on_front else BEHIND
        axes.scatter(bits, error, s=16 if codec in on_front else 9, color=colour, zorder=2,
                     marker="o" if codec in on_front else "x", linewidths=0.8)
    for colour, shown in ((FRONT, True), (BEHIND, False)):
        looks.ranges(axes, [(bits, error, low, high) for bits, error, codec, low, high in points
                            if (codec in on_front) is shown], colour)
    axes.set_xscale("log", base=2)
    picture.logarithmic(axes, "y")
    axes.set_xlim(0.15, 40)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("size on the wire (bits per element)", fontsize=9)
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.tick_params(labelsize=8)
    axes.grid(**picture.GRID)


def names(axes, points):
    """Of the codecs on the front, then of the best known others."""
    on_front = front(points)
    shown = [(bits, error, codec, FRONT if codec in on_front else looks.SOFT)
             for bits, error, codec, *_ in points if codec in on_front or codec in KNOWN]
    labels.place(axes, sorted(shown, key=lambda point: (point[2] not in on_front, point[:2])),
                 [(bits, low, bits, high) for bits, _, _, low, high in points])


def main():
    try:
        table = picture.read_json(sys.stdin)
    except ValueError:
        picture.refuse("is not JSON; pipe in traces/calibration/codec_error.json")
    drawn = {title: read_points(table, distribution) for distribution, title in PANELS.items()}
    figure, panels = plt.subplots(1, len(PANELS), figsize=(11, 7), sharey=True)
    for axes, (title, points) in zip(panels, drawn.items()):
        draw(axes, points, title)
    panels[0].set_ylabel("relative L2 error of encoding once (no unit)", fontsize=9)
    marks = [plt.Line2D([], [], marker="o", linestyle="", color=FRONT, label="no other is as small and more accurate"),
             plt.Line2D([], [], marker="x", linestyle="", color=BEHIND, label="beaten by another codec")]
    panels[0].legend(handles=marks, fontsize=8, loc="lower left", frameon=False)
    looks.note(figure, "Lines with ends: least and greatest error of six seeds, mostly smaller than a mark.")
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    for axes, points in zip(panels, drawn.values()):
        names(axes, points)
    picture.save(figure)


if __name__ == "__main__":
    main()
