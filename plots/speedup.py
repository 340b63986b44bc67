#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots a result of a sweep against one of its inputs, one line per scheme.

    build/release/gardenhose export study.sqlite | plots/speedup.py --x network.nic_bandwidth > a.svg
    build/release/gardenhose export study.sqlite |
      plots/speedup.py --x gpus --panels model --where network.nic_bandwidth="100 Gbps" > b.svg
    build/release/gardenhose export study.sqlite | plots/speedup.py --x model --where nodes=8 > c.svg

Hollow marks: points that do not fit in the memory of a GPU.
"""

import argparse

import export_rows
import looks
import picture
from picture import plt

TALL = 3.3  # inches of a panel
APART = 1.025  # between the marks of two lines, as a factor
LINE_OF_PANELS = 3
ALIKE = ("speedup", "mfu", "compute_utilisation")  # on one scale in all panels


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--x", required=True, help="input along the x axis, or gpus")
    parser.add_argument("--y", default="speedup", help="result along the y axis (default: speedup)")
    parser.add_argument("--lines", default="scheme", help="input to plot lines for (default: scheme)")
    parser.add_argument("--panels", help="input to plot panels for, one per value")
    export_rows.add_where(parser)
    return parser.parse_args()


def places_of(rows, x):
    """Where each value of x stands, and whether that is on a logarithmic scale."""
    values = picture.in_order(row[x] for row in rows)
    numbers = [picture.number(value) for value in values]
    if None in numbers:
        return {value: place for place, value in enumerate(values)}, False
    return dict(zip(values, numbers)), numbers[0] > 0 and numbers[-1] / numbers[0] >= 8


def draw(axes, rows, columns, lines, places):
    """A line for each of `lines`, a little apart so that no range hides another; returns whether there are
    ranges."""
    x, y, by = columns
    ranged = False
    places, is_log = places
    span = max(places.values()) - min(places.values())
    for place, name in enumerate(lines):
        own = sorted((row for row in rows if row[by] == name), key=lambda row: places[row[x]])
        apart = place - (len(lines) - 1) / 2
        across = [places[row[x]] * APART**apart if is_log else places[row[x]] + (APART - 1) * span * apart / 4
                  for row in own]
        look = looks.scheme_style(name, place) if by.endswith("scheme") else looks.style(place)
        axes.plot(across, [float(row[y]) for row in own], linewidth=1.4, markersize=5, label=name, **look)
        ranged |= looks.ranges(axes, [(at, float(row[y]), picture.number(row.get(f"{y}_low")),
                                       picture.number(row.get(f"{y}_high"))) for at, row in zip(across, own)],
                               look["color"])
        large = [(at, float(row[y])) for at, row in zip(across, own) if row["state"] == "too_large"]
        axes.plot([at for at, _ in large], [value for _, value in large],
                  linestyle="", marker=look["marker"], markersize=5, markerfacecolor="white",
                  markeredgecolor=look["color"], zorder=4)
    return ranged


def finish(axes, rows, columns, places):
    x, y, _ = columns
    places, is_log = places
    if is_log:
        axes.set_xscale("log", base=2)
    axes.set_xticks(list(places.values()), list(places), fontsize=8)
    axes.minorticks_off()
    if sum(map(len, places)) > 30:
        axes.tick_params(axis="x", rotation=30)
    axes.tick_params(labelsize=8)
    axes.margins(x=0.08)
    most = max(picture.number(row.get(f"{y}_high")) or float(row[y]) for row in rows)
    least = min(picture.number(row.get(f"{y}_low")) or float(row[y]) for row in rows)
    if y not in ALIKE and 0 < least < most / 8:  # what is small would be one heap at the bottom
        picture.logarithmic(axes, "y")
    else:
        axes.set_ylim(0, 1.08 * most)
    if y not in ALIKE:
        axes.yaxis.set_major_formatter(picture.engineering_formatter())
    if y == "speedup":
        axes.axhline(1, color=looks.SOFT, linewidth=0.8, zorder=1)
    axes.set_xlabel(export_rows.label_of(x), fontsize=9)
    axes.grid(**picture.GRID)


def title_of(panels, value):
    """A value that is a number says of what."""
    if not panels or picture.number(value) is None:
        return value
    return f"{export_rows.label_of(panels).partition(' (')[0]} {value}"


def main():
    options = parse()
    rows = picture.read_rows(["number", "state", "scheme"], export_rows.SOURCE)
    rows = export_rows.selected(rows, options.where)
    x, y, by = (export_rows.column_of(rows, name) for name in (options.x, options.y, options.lines))
    if any(picture.number(row[y]) is None for row in rows):
        picture.refuse(f"--y: not every point has a number for {options.y}; a speed-up needs "
                       "baseline = \"twin\" in the sweep's [run]")
    panels = export_rows.column_of(rows, options.panels) if options.panels else None
    export_rows.check_all_shown(rows, [column for column in (x, by, panels) if column],
                                ", or --panels")
    titles = picture.in_order(row[panels] for row in rows) if panels else [""]
    lines = picture.in_order(row[by] for row in rows)
    across = min(LINE_OF_PANELS, len(titles))
    down = -(-len(titles) // across)
    figure, grid = plt.subplots(down, across, figsize=(1.2 + (6 if across == 1 else 3.8 * across), 0.5 + TALL * down),
                                squeeze=False, sharey=y in ALIKE)
    places = places_of(rows, x)
    ranged = False
    for axes, title in zip(grid.flat, titles):
        own = [row for row in rows if not panels or row[panels] == title]
        ranged |= draw(axes, own, (x, y, by), lines, places)
        finish(axes, rows if y in ALIKE else own, (x, y, by), places)
        axes.set_title(title_of(panels, title), fontsize=9)
    for axes in grid.flat[len(titles):]:
        axes.set_axis_off()
    for axes in grid[:, 0] if y in ALIKE else grid.flat:
        axes.set_ylabel(export_rows.label_of(y), fontsize=9)
    handles, names = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, names, fontsize=8, loc="upper center", frameon=False,
                  ncol=min(5, len(names)))
    looks.note(figure, looks.LIKELY if ranged else f"{export_rows.label_of(y)}: no likely range in this study.")
    figure.tight_layout(rect=(0, 0.2 / figure.get_figheight(), 1, 1 - 0.3 * -(-len(names) // 5) / figure.get_figheight()))
    picture.save(figure)


if __name__ == "__main__":
    main()
