#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots where the time of a step or round goes: one stacked bar per scheme, from the output of
`run` or from a sweep.

    build/release/gardenhose run ... --scheme sharded,sdp4bit --format json | plots/breakdown.py > a.svg
    build/release/gardenhose export study.sqlite |
      plots/breakdown.py --where nodes=8 --where model=gpt_2.7b > b.svg
"""

import argparse
import io
import math
import sys

import export_rows
import looks
import picture
import reports
from picture import plt

NEWER = {"host_s"}  # what older stores lack


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bars", default="scheme", help="input to plot bars for (default: scheme)")
    parser.add_argument("--shares", action="store_true",
                        help="plot percentages of each step or round")
    export_rows.add_where(parser)
    return parser.parse_args()


def read_rows(options):
    """What each bar is of, a step or a round, and (name, {part: seconds}, its row) of each."""
    text = sys.stdin.read()
    try:
        found = picture.read_json(io.StringIO(text))
        rows = found if isinstance(found, list) else [found]
        name = "scheme"
    except ValueError:
        rows = picture.rows_of(io.StringIO(text))
        name = None
    if not rows or not isinstance(rows[0], dict) or any(
            part not in rows[0] for part in reports.PARTS if part not in NEWER):
        picture.refuse("no step times on standard input; pipe in `gardenhose run ... --format "
                       f"json`, or `{export_rows.SOURCE}`")
    if name is None:
        rows = export_rows.selected(rows, options.where)
        name = export_rows.column_of(rows, options.bars)
        export_rows.check_all_shown(rows, [name])
    elif options.where or options.bars != "scheme":
        picture.refuse("--where and --bars select points of a sweep; leave them out for the output "
                       "of run")
    return reports.what_of(rows), [(row[name], reports.parts_of(row), row) for row in rows]


def main():
    options = parse()
    what, bars = read_rows(options)
    totals = [sum(parts.values()) for _, parts, _ in bars]
    unit, name = reports.unit_of(max(totals))
    figure, axes = plt.subplots(figsize=(9, 1.7 + 0.45 * len(bars)))
    ranged, farthest = False, 0
    for place, ((_, parts, row), total) in enumerate(zip(bars, totals)):
        scale = total / 100 if options.shares else unit
        left = 0
        for part, label in reports.PARTS.items():
            axes.barh(place, parts[part] / scale, 0.7, left=left, label=label if place == 0 else None,
                      **reports.fill(part))
            left += parts[part] / scale
        low, high = (None, None) if options.shares else reports.time_range(row, total)
        if high:
            ranged |= looks.ranges(axes, [(left, place, low / scale, high / scale)], upright=False, on_bar=True)
            left = max(left, high / scale)
        farthest = max(farthest, left)
        decimals = max(0, 2 - math.floor(math.log10(total / unit)))
        axes.text(left, place, f" {total / unit:.{decimals}f} {name}", va="center", fontsize=8)
    axes.set_yticks(range(len(bars)), [str(label) for label, *_ in bars], fontsize=9)
    axes.set_ylabel(options.bars.replace("_", " "), fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12 * farthest)
    axes.set_xlabel(f"share of the {what} (%)" if options.shares else f"time of a {what} ({name})",
                    fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x", **picture.GRID)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.legend(fontsize=8, loc="upper center", frameon=False, ncol=len(reports.PARTS), columnspacing=1,
                  handlelength=1)
    looks.note(figure, looks.LIKELY if ranged else "Shares have no likely range." if options.shares else
               "These steps were run without likely ranges.")
    figure.tight_layout(rect=(0, 0.2 / figure.get_figheight(), 1, 1 - 0.3 / figure.get_figheight()))
    picture.save(figure)


if __name__ == "__main__":
    main()
