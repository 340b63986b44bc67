#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots predicted against published values, one dot per row, from `gardenhose validate`.

    for table in sdp4bit fsdp zeropp streaming-diloco; do
      build/release/gardenhose validate $table --format csv
    done | plots/validation.py > validation.svg
    build/release/gardenhose validate sdp4bit --format csv |
      plots/validation.py --beside blind,null_refit > plots/sdp4bit.svg

Hollow: a constant was fitted to the row. Cross: excluded from the errors; validate says why.
"""

import argparse
import csv
import sys

import looks
import picture
from picture import plt

LINE_OF_PANELS = 3
SOURCE = "gardenhose validate --format csv"
LOOKS = {"blind": ("grey", "^", "data sheets only"),
         "null_model": ("ochre", "v", "no simulation"),
         "null_refit": ("vermilion", "s", "no simulation, constants of its own"),
         "fitted": ("blue", "o", "simulated")}


def sdp4bit(row):
    if row["what"] != "tflops_per_gpu" or not row["row"].startswith("sdp4bit_throughput"):
        return None
    return f"SDP4Bit, {row['row'].split('/')[1].upper()}", "rate (TFLOP/s per GPU)", 1, "{}"


def fsdp(row):
    return f"FSDP, {row['row'].split('/')[0].split('_')[1].upper()}", "MFU (%)", 100, "{}_mfu"


def zeropp(_):
    return "ZeRO++, 384 V100", "rate (TFLOP/s per GPU)", 1, "{}_tflops"


def streaming(_):
    return "Streaming DiLoCo, simulated there too", "bandwidth for a utilisation (Gb/s)", 1, "{}_Gbps"


# By a column that only this table has.
TABLES = {"null_refit": sdp4bit, "published_mfu": fsdp, "published_tflops": zeropp,
          "grid_points_off": streaming}


def read_panels(lines):
    """{(panel, unit): rows with published, the predictions, and how they are drawn}."""
    panels, header, place_of = {}, [], None
    for fields in csv.reader(lines):
        if fields and fields[0] in ("row", "model"):
            header = fields
            place_of = next((TABLES[name] for name in header if name in TABLES), None)
            continue
        if not fields or place_of is None or len(fields) != len(header):
            continue
        row = dict(zip(header, fields))
        place = place_of(row)
        if place is None:
            continue
        panel, unit, scale, spelling = place
        values = {name: scale * float(row[spelling.format(name)])
                  for name in ("published", *LOOKS) if row.get(spelling.format(name))}
        values.setdefault("fitted", float(row.get("simulated_Gbps") or "nan"))
        kind = ("left_out" if row.get("left_out") == "true"
                else "used" if row.get("used_in_fit") == "true" else "counted")
        panels.setdefault((panel, unit), []).append((kind, values))
    if not panels:
        picture.refuse(f"no rows on standard input; pipe in `{SOURCE}`")
    return panels


def scatter(axes, rows, column):
    name, marker, label = LOOKS[column]
    colour = looks.COLOURS[name]
    for kind in ("counted", "used", "left_out"):
        shown = [values for found, values in rows if found == kind]
        if kind == "left_out":
            look = {"marker": "x", "color": colour}
        else:
            look = {"edgecolors": colour, "facecolors": "none" if kind == "used" else colour, "marker": marker}
        axes.scatter([values["published"] for values in shown],
                     [values[column] for values in shown], s=24, zorder=3, linewidths=1,
                     label=label if kind == "counted" else None, **look)


def draw(axes, panel, rows, columns):
    (title, unit) = panel
    known = [column for column in columns if all(column in values for _, values in rows)]
    if "fitted" not in known or len(known) != len(columns):
        picture.refuse(f"--beside: not every row of {title} has {', '.join(columns)}")
    published = [values["published"] for _, values in rows]
    highest = 1.25 * max(max(values["published"], values["fitted"]) for _, values in rows)
    lowest = min(min(published), min(values["fitted"] for _, values in rows))
    is_log = highest / lowest > 30
    ends = [0.7 * lowest if is_log else 0, highest]
    axes.plot(ends, ends, color=looks.INK, linewidth=0.8)
    axes.fill_between(ends, [0.9 * end for end in ends], [1.1 * end for end in ends],
                      color=looks.COLOURS["blue"], alpha=0.12, linewidth=0)
    for column in columns:
        scatter(axes, rows, column)
    if is_log:
        picture.logarithmic(axes, "x")
        picture.logarithmic(axes, "y")
        for tick in axes.get_xticklabels():
            tick.set_rotation(45)
    axes.set_xlim(*ends)
    axes.set_ylim(ends[0], ends[1] if len(columns) == 1 else 2 * ends[1])
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(f"published {unit}", fontsize=8)
    axes.set_ylabel(f"predicted {unit}", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(**picture.GRID)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", default="", metavar="COLUMN[,COLUMN...]",
                        help="predictions to plot next to the fitted ones: blind, null_model, null_refit")
    options = parser.parse_args()
    beside = [name for name in options.beside.split(",") if name]
    for name in beside:
        if name not in LOOKS:
            picture.refuse(f"--beside: no prediction {name}; known: {', '.join(LOOKS)}")
    panels = read_panels(sys.stdin)
    across = min(LINE_OF_PANELS, max(2, len(panels)))
    down = -(-len(panels) // across)
    figure, grid = plt.subplots(down, across, figsize=(0.6 + 3.2 * across, 0.4 + 3.2 * down),
                                squeeze=False)
    for axes, (panel, rows) in zip(grid.flat, panels.items()):
        draw(axes, panel, rows, [*beside, "fitted"])
    for axes in grid.flat[len(panels):]:
        axes.set_axis_off()
    grid[0][0].legend(fontsize=7, loc="upper left", frameon=False,
                      title="hollow: a constant was fitted to it\ncross: excluded", title_fontsize=7)
    looks.note(figure, "Band: 10 % around the published value. Published values are single measurements; the tables "
               "have no likely ranges.")
    figure.tight_layout(rect=(0, 0.2 / figure.get_figheight(), 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
