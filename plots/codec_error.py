#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the error of every codec against the bits that it sends, from the table of codec errors.

    plots/codec_error.py < traces/calibration/codec_error.json > codec_error.svg

Named are the codecs that no other codec beats in both, and the best known of the others.
"""

import sys

import picture
from picture import plt

PANELS = {"normal": "normal values", "student_t3": "heavy tails (Student's t, 3 degrees)"}
KNOWN = ["bf16", "fp8_e4m3", "mxfp8", "mxfp4", "nvfp4", "int8_g128_hadamard_sr", "int4_g2048_sr",
         "int4_g128_hadamard_sr", "int4_full_g2048", "terngrad", "sign_g2048", "natural",
         "qsgd_int4_g512", "sparseloco", "demo_top32", "eden1_g4096"]


def read_points(table, distribution):
    """(bits an element, relative L2, codec) of each codec that has an error."""
    points = []
    for codec, row in table["codecs"].items():
        if distribution not in row:
            picture.refuse(f"no distribution {distribution}; known: {', '.join(row)}")
        if row[distribution]["relative_l2"]:
            points.append((table["bits_per_element"][codec], row[distribution]["relative_l2"], codec))
    return sorted(points)


def front(points):
    """The codecs that lose less than all that send no more."""
    best, names = float("inf"), set()
    for _, error, codec in points:
        if error < best:
            best, names = error, names | {codec}
    return names


def draw(axes, points, title):
    on_front = front(points)
    for bits, error, codec in points:
        axes.scatter(bits, error, s=16 if codec in on_front else 9,
                     color="#1f6fb4" if codec in on_front else "#b0b0b0", zorder=2)
    placed = []
    for bits, error, codec in sorted(points, key=lambda point: -point[1]):
        if codec not in on_front and codec not in KNOWN:
            continue
        # Labels of near neighbours go below one another.
        y = error
        while any(abs(bits / b - 1) < 0.35 and 0.87 < y / other < 1.15 for b, other in placed):
            y *= 0.9
        placed.append((bits, y))
        axes.annotate(codec, (bits, error), xytext=(bits * 1.06, y), fontsize=5.5, va="center",
                      color="#1f6fb4" if codec in on_front else "#606060",
                      arrowprops={"arrowstyle": "-", "linewidth": 0.3, "color": "#c0c0c0"})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(0.15, 48)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("bits per element on the wire", fontsize=8)
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.tick_params(labelsize=7)
    axes.grid(linewidth=0.3, color="#e0e0e0")


def main():
    try:
        table = picture.read_json(sys.stdin)
    except ValueError:
        picture.refuse("is not JSON; pipe in traces/calibration/codec_error.json")
    figure, panels = plt.subplots(1, len(PANELS), figsize=(11, 5.5), sharey=True)
    for axes, (distribution, title) in zip(panels, PANELS.items()):
        draw(axes, read_points(table, distribution), title)
    panels[0].set_ylabel("relative L2 error of encoding once", fontsize=8)
    figure.tight_layout()
    picture.save(figure)


if __name__ == "__main__":
    main()
