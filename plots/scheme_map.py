#!/usr/bin/python3
"""Draws which scheme is fastest over NIC bandwidth and model, from what `map` prints.

    build/release/gardenhose map --topology ... --model ... --format csv | plots/scheme_map.py > picture.svg

Gains under 5 %, which is how far predicted speed-ups are off in the mean, are drawn as none.
"""

import csv
import sys

import picture
from picture import plt

LEAST_GAIN = 1.05
EVEN = "#ececec"
COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d"]


def read_points(lines):
    rows = [row for row in csv.DictReader(lines) if "nic_bandwidth_Bps" in row]
    if not rows:
        picture.refuse("draws `map --format csv`")
    return rows


def bandwidth_text(bytes_per_s):
    gigabits = bytes_per_s * 8 / 1e9
    return f"{gigabits / 1000:g} Tbps" if gigabits >= 1000 else f"{gigabits:g} Gbps"


def pays(row):
    return float(row["speedup"]) >= LEAST_GAIN


def draw_cell(axes, x, y, row, colours):
    gain = float(row["speedup"])
    colour = colours[row["compressed"]] if pays(row) else EVEN
    axes.add_patch(plt.Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5))
    axes.text(x + 0.5, y + 0.5, f"{gain:.2f}x", ha="center", va="center", fontsize=8,
              color="white" if pays(row) else "#555555")


def main():
    rows = read_points(sys.stdin)
    models = list(dict.fromkeys(row["model"] for row in rows))
    bandwidths = sorted({float(row["nic_bandwidth_Bps"]) for row in rows})
    winners = list(dict.fromkeys(row["compressed"] for row in rows if pays(row)))
    colours = dict(zip(winners, COLOURS))
    figure, axes = plt.subplots(figsize=(8.2, 1.3 + 0.52 * len(models)))
    for row in rows:
        x = bandwidths.index(float(row["nic_bandwidth_Bps"]))
        draw_cell(axes, x, models.index(row["model"]), row, colours)
    axes.set_xlim(0, len(bandwidths))
    axes.set_ylim(0, len(models))
    axes.set_xticks([i + 0.5 for i in range(len(bandwidths))],
                    [bandwidth_text(one) for one in bandwidths], fontsize=8)
    axes.set_yticks([i + 0.5 for i in range(len(models))], models, fontsize=8)
    axes.set_xlabel("rate of each NIC", fontsize=9)
    axes.set_title(f"speed-up of the fastest compressed scheme over the fastest uncompressed setup, "
                   f"{rows[0]['gpus']} GPUs of {rows[0]['topology']}", fontsize=9)
    marks = [plt.Line2D([], [], marker="s", linestyle="", markersize=9, color=colours[name],
                        label=name) for name in winners]
    marks.append(plt.Line2D([], [], marker="s", linestyle="", markersize=9, color=EVEN,
                            label="none: under 5 %"))
    axes.legend(handles=marks, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1),
                frameon=False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.tight_layout()
    picture.save(figure)


if __name__ == "__main__":
    main()
