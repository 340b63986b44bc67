#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the map of the fastest schemes from the output of `map`: over NIC bandwidth and model, or over
any two inputs of a sweep.

    build/release/gardenhose map --topology ... --model ... --format csv | plots/scheme_map.py > picture.svg
    build/release/gardenhose map STORE --x ... --y ... --format csv | plots/scheme_map.py > picture.svg

Cells have the colour of the compressed scheme that wins there, as the program decides. Cells that are too
close to call are hatched.
"""

import csv
import sys

import picture
from picture import plt

EVEN = "#ececec"
COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d"]


def bandwidth_text(bytes_per_s):
    gigabits = bytes_per_s * 8 / 1e9
    return f"{gigabits / 1000:g} Tbps" if gigabits >= 1000 else f"{gigabits:g} Gbps"


class Cell:
    """One place of the map: its column and row as text, what is drawn there and what wins there."""

    def __init__(self, x, y, row, challenger, baseline):
        self.x, self.y = x, y
        self.verdict = row["verdict"]  # the program's: win, tie, loss; empty where nothing fits
        self.winner = challenger if self.verdict == "win" else None
        self.is_hatched = self.verdict == "tie"
        if not self.verdict:
            self.text = "none fits"
        elif row["speedup"] and all(row.get(f"{side}_fits_memory", "true") == "true"
                                    for side in ("compressed", "uncompressed")):
            self.text = f"{float(row['speedup']):.2f}x"
        else:
            self.text = "alone fits" if self.winner else f"{baseline} alone"


class Map:
    def __init__(self, cells, xs, ys, x_label, y_label, title):
        self.cells, self.xs, self.ys = cells, xs, ys
        self.x_label, self.y_label, self.title = x_label, y_label, title


def map_of_models(rows):
    rows = sorted(rows, key=lambda row: float(row["nic_bandwidth_Bps"]))
    cells = [Cell(bandwidth_text(float(row["nic_bandwidth_Bps"])), row["model"], row,
                  row["compressed"], row["uncompressed"]) for row in rows]
    return cells, "bandwidth per NIC", "", (
        f"speed-up of the fastest compressed scheme over the fastest uncompressed setup, "
        f"{rows[0]['gpus']} GPUs of {rows[0]['topology']}")


def map_of_store(rows):
    cells = [Cell(row["x"], row["y"], row, row["challenger"], row["baseline"]) for row in rows]
    over = rows[0]["over"]
    baselines = list(dict.fromkeys(row["baseline"] for row in rows if row["baseline"]))
    than = f"the fastest of {', '.join(baselines)}" if len(baselines) > 1 else "".join(baselines)
    return cells, rows[0]["x_input"], rows[0]["y_input"], (
        f"throughput of the fastest {over} over that of {than}")


def read_map(lines):
    # Several maps, one after the other, have a heading each.
    rows = [row for row in csv.DictReader(lines) if any(key != value for key, value in row.items())]
    if rows and "pays" in rows[0] and "verdict" not in rows[0]:
        picture.refuse("needs the column verdict, which older versions lack; run `map` again")
    if rows and "nic_bandwidth_Bps" in rows[0]:
        models = list(dict.fromkeys(row["model"] for row in rows))
        cells, *labels = map_of_models(rows)
        return Map(cells, list(dict.fromkeys(cell.x for cell in cells)), models, *labels)
    if rows and "x_input" in rows[0]:
        cells, *labels = map_of_store(rows)
        xs = picture.in_order(cell.x for cell in cells)
        return Map(cells, xs, list(dict.fromkeys(c.y for c in cells)), *labels)
    return picture.refuse("plots only the output of `map --format csv`; pipe it in")


def draw_cell(axes, x, y, cell, colours):
    colour = colours[cell.winner] if cell.winner else EVEN
    axes.add_patch(plt.Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5,
                                 hatch="///" if cell.is_hatched else None))
    axes.text(x + 0.5, y + 0.5, cell.text, ha="center", va="center", fontsize=8,
              color="white" if cell.winner else "#555555")


def draw_axes(axes, drawn):
    axes.set_xlim(0, len(drawn.xs))
    axes.set_ylim(0, len(drawn.ys))
    axes.set_xticks([i + 0.5 for i in range(len(drawn.xs))], drawn.xs, fontsize=8)
    axes.set_yticks([i + 0.5 for i in range(len(drawn.ys))], drawn.ys, fontsize=8)
    axes.set_xlabel(drawn.x_label, fontsize=9)
    axes.set_ylabel(drawn.y_label, fontsize=9)
    axes.set_title(drawn.title, fontsize=9)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def main():
    drawn = read_map(sys.stdin)
    winners = list(dict.fromkeys(cell.winner for cell in drawn.cells if cell.winner))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(winners)}
    figure, axes = plt.subplots(figsize=(8.2, 1.3 + 0.52 * max(2, len(drawn.ys))))
    for cell in drawn.cells:
        draw_cell(axes, drawn.xs.index(cell.x), drawn.ys.index(cell.y), cell, colours)
    draw_axes(axes, drawn)
    marks = [plt.Line2D([], [], marker="s", linestyle="", markersize=9, color=colours[name],
                        label=name) for name in winners]
    marks.append(plt.Line2D([], [], marker="s", linestyle="", markersize=9, color=EVEN,
                            label="none: slower"))
    if any(cell.is_hatched for cell in drawn.cells):
        marks.append(plt.Rectangle((0, 0), 1, 1, facecolor=EVEN, edgecolor="white", hatch="///",
                                   label="too close to call"))
    axes.legend(handles=marks, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1),
                frameon=False)
    figure.tight_layout()
    picture.save(figure)


if __name__ == "__main__":
    main()
