#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the map of the fastest schemes from the output of `map`, over any two axes or any two inputs of a
sweep.

    build/release/gardenhose map --topology ... --x ... --y ... --format csv | plots/scheme_map.py > picture.svg
    build/release/gardenhose map STORE --x ... --y ... --format csv | plots/scheme_map.py > picture.svg

Cells have the colour of the compressed scheme that wins there, as the program decides, its name, the
speed-up and its likely range. Cells that are too close to call are hatched.
"""

import csv
import sys

import looks
import picture
from picture import plt

EVEN = looks.FIELD
HATCH = {"hatch": "///", "edgecolor": "#c8cdd3"}


class Cell:
    """One place of the map: its column and row as text, what is drawn there and what wins there."""

    def __init__(self, row, challenger, baseline):
        self.x, self.y = row["x"], row["y"]
        self.verdict = row["verdict"]  # the program's: win, tie, loss; empty where nothing fits
        self.winner = challenger if self.verdict == "win" else None
        self.is_hatched = self.verdict == "tie"
        if not self.verdict:
            self.text = "does not fit"
        elif row["speedup"] and all(row.get(f"{side}_fits_memory", "true") == "true"
                                    for side in ("compressed", "uncompressed")):
            self.text = f"{float(row['speedup']):.2f}x"
        else:
            self.text = "alone fits" if self.winner else f"{baseline} alone"
        ends = [row.get(f"speedup_{end}") for end in ("low", "high")]
        self.range = "{:.2f} to {:.2f}".format(*map(float, ends)) if all(ends) else ""


class Map:
    def __init__(self, rows):
        columns, self.title = of_store(rows) if "over" in rows[0] else of_schemes(rows)
        self.cells = [Cell(row, *(row[column] for column in columns)) for row in rows]
        self.xs, self.ys = ticks(rows, "x"), ticks(rows, "y")
        self.x_label, self.y_label = rows[0]["x_input"], rows[0]["y_input"]


def ticks(rows, axis):
    """The axis's texts by their numbers, or in the order of the rows if they have none."""
    numbers = {row[axis]: row[f"{axis}_number"] for row in rows}
    return sorted(numbers, key=lambda text: float(numbers[text])) if all(numbers.values()) else list(numbers)


def of_schemes(rows):
    """The columns of both schemes, and the title: what all cells have in common."""
    def common(column, text):
        values = {row[column] for row in rows}
        return text.format(*values) if len(values) == 1 else ""

    subject = common("model", "{} on ") + common("gpus", "{} GPUs of ") + rows[0]["topology"]
    return ("compressed", "uncompressed"), (
        f"speed-up of the fastest compressed scheme over the fastest uncompressed setup\n{subject}")


def of_store(rows):
    baselines = list(dict.fromkeys(row["baseline"] for row in rows if row["baseline"]))
    than = f"the fastest of {', '.join(baselines)}" if len(baselines) > 1 else "".join(baselines)
    return ("challenger", "baseline"), f"throughput of the fastest {rows[0]['over']} over that of {than}"


def read_map(lines):
    # Several maps, one after the other, have a heading each.
    rows = [row for row in csv.DictReader(lines) if any(key != value for key, value in row.items())]
    if not rows or "pays" not in rows[0]:
        picture.refuse("plots only the output of `map --format csv`; pipe it in")
    for column in ("verdict", "x_input"):
        if column not in rows[0]:
            picture.refuse(f"needs the column {column}, which older versions lack; run `map` again")
    return Map(rows)


def draw_cell(axes, x, y, cell, colours):
    colour = colours[cell.winner] if cell.winner else EVEN
    axes.add_patch(plt.Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5))
    if cell.is_hatched:
        axes.add_patch(plt.Rectangle((x + 0.02, y + 0.02), 0.96, 0.96, facecolor="none", linewidth=0, **HATCH))
    # Each line on the cell's colour, so that the hatching leaves it legible.
    lines = [(0.76, cell.winner or "", 6.5), (0.5, cell.text, 8.5), (0.22, cell.range, 6.5)]
    for height, text, size in lines:
        if text:
            axes.text(x + 0.5, y + height, text, ha="center", va="center", fontsize=size,
                      color="white" if cell.winner else looks.INK, gid="cell",
                      bbox={"facecolor": colour, "edgecolor": "none", "pad": 0.8})


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
    colours = {name: looks.scheme_style(name)["color"] for name in winners}
    figure, axes = plt.subplots(figsize=(3 + 0.85 * len(drawn.xs), 1.5 + 0.62 * max(2, len(drawn.ys))))
    for cell in drawn.cells:
        draw_cell(axes, drawn.xs.index(cell.x), drawn.ys.index(cell.y), cell, colours)
    draw_axes(axes, drawn)
    marks = [plt.Line2D([], [], marker="s", linestyle="", markersize=9, color=colours[name],
                        label=name) for name in winners]
    marks.append(plt.Line2D([], [], marker="s", linestyle="", markersize=9, color=EVEN,
                            markeredgecolor=looks.SOFT, label="none: slower"))
    if any(cell.is_hatched for cell in drawn.cells):
        marks.append(plt.Rectangle((0, 0), 1, 1, facecolor=EVEN, label="too close to call", **HATCH))
    axes.legend(handles=marks, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1),
                frameon=False)
    looks.note(figure, "Below each speed-up: its likely range, eight cases of ten."
               if any(cell.range for cell in drawn.cells) else "The map has no likely ranges.")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
