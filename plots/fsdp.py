#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots utilisation against the number of GPUs, from the output of `gardenhose validate fsdp`.

    build/release/gardenhose validate fsdp --format csv | plots/fsdp.py > fsdp.svg
"""

import csv
import sys

import looks
import picture
from picture import plt

LINES = {
    "blind": (looks.COLOURS["grey"], ":", "data sheets only"),
    "null_model": (looks.COLOURS["vermilion"], "--", "utilisation of 8 GPUs"),
    "fitted": (looks.COLOURS["blue"], "-", "simulated"),
}
MARKS = {"counted": ("o", "published"), "used_in_fit": ("D", "published, fitted to"),
         "left_out": ("x", "published, left out")}
COLUMNS = 5


def read_series(stream):
    """By series: its rows by the number of GPUs, utilisations in percent."""
    series = {}
    for row in csv.DictReader(stream):
        if "published_mfu" not in row:
            break
        for column in ("published", *LINES):
            row[column] = 100 * float(row[column + "_mfu"])
        row["gpus"] = int(row["gpus"])
        row["kind"] = next((kind for kind in MARKS if row.get(kind) == "true"), "counted")
        name = row["row"].split("/", 1)[1].rsplit("/", 1)[0]
        series.setdefault(name, []).append(row)
    if not series:
        picture.refuse("no rows on standard input; pipe in "
                 "`gardenhose validate fsdp --format csv`")
    return {name: sorted(rows, key=lambda row: row["gpus"]) for name, rows in series.items()}


def draw(axes, name, rows):
    gpus = [row["gpus"] for row in rows]
    for column, (colour, dash, label) in LINES.items():
        axes.plot(gpus, [row[column] for row in rows], color=colour, linewidth=1.2, linestyle=dash, label=label,
                  marker="o", markersize=2.5)
    for kind, (marker, label) in MARKS.items():
        shown = [row for row in rows if row["kind"] == kind]
        axes.scatter([row["gpus"] for row in shown], [row["published"] for row in shown], s=22,
                     marker=marker, zorder=3, linewidths=0.9, label=label, color=looks.INK,
                     **({} if marker == "x" else {"facecolors": "none"}))
    axes.set_xscale("log", base=2)
    axes.set_xlim(6, 170)
    axes.set_ylim(25, 85)
    axes.set_xticks([8, 16, 32, 64, 128], ["8", "16", "32", "64", "128"])
    axes.tick_params(labelsize=7)
    axes.set_title(name.replace("/", ", "), fontsize=8)
    axes.grid(**picture.GRID)


def main():
    series = read_series(sys.stdin)
    lines = -(-len(series) // COLUMNS)
    figure, panels = plt.subplots(lines, COLUMNS, figsize=(11, 0.9 + 2.1 * lines), sharey=True,
                                  squeeze=False)
    for axes, (name, rows) in zip(panels.flat, series.items()):
        draw(axes, name, rows)
    for axes in panels.flat[len(series):]:
        axes.set_axis_off()
    for line in panels:
        line[0].set_ylabel("MFU (%)", fontsize=8)
    for axes in panels[:-1].flat:
        axes.tick_params(labelbottom=False)
    for axes in panels[-1]:
        axes.set_xlabel("GPUs (count)", fontsize=8)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=8, loc="lower center", ncol=len(labels), frameon=False,
                  bbox_to_anchor=(0.5, 0.02))
    looks.note(figure, "Published values are single measurements; the table has no likely ranges.")
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
