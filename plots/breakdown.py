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
import picture
from picture import plt

# The parts of a step, as reports have them; they sum to its time.
PARTS = {"compute_s": ("compute", "#0072b2"), "exposed_comm_s": ("exposed communication", "#d55e00"),
         "codec_s": ("codec kernels", "#e69f00"), "optimizer_s": ("optimizer", "#009e73"),
         "other_s": ("passes over buffers", "#9aa3ad"), "host_s": ("host", "#56b4e9"),
         "bubble_s": ("waiting", "#dfe3e8")}
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
    """What each bar is of, a step or a round, and (name, {part: seconds}) of each."""
    text = sys.stdin.read()
    try:
        reports = picture.read_json(io.StringIO(text))
        rows = reports if isinstance(reports, list) else [reports]
        name = "scheme"
    except ValueError:
        rows = picture.rows_of(io.StringIO(text))
        name = None
    if not rows or not isinstance(rows[0], dict) or any(
            part not in rows[0] for part in PARTS if part not in NEWER):
        picture.refuse("no step times on standard input; pipe in `gardenhose run ... --format "
                       f"json`, or `{export_rows.SOURCE}`")
    if name is None:
        rows = export_rows.selected(rows, options.where)
        name = export_rows.column_of(rows, options.bars)
        export_rows.check_all_shown(rows, [name])
    elif options.where or options.bars != "scheme":
        picture.refuse("--where and --bars select points of a sweep; leave them out for the output "
                       "of run")
    # Several sites have figures of a round.
    whats = sorted({"round" if row.get("round_time_s") else "step" for row in rows})
    return " or ".join(whats), [(row[name], {part: float(row.get(part) or 0) for part in PARTS})
                                for row in rows]


def main():
    options = parse()
    what, bars = read_rows(options)
    totals = [sum(parts.values()) for _, parts in bars]
    unit, name = (1, "s") if max(totals) >= 1 else (1e-3, "ms")
    figure, axes = plt.subplots(figsize=(8, 1.3 + 0.42 * len(bars)))
    for place, ((_, parts), total) in enumerate(zip(bars, totals)):
        scale = total / 100 if options.shares else unit
        left = 0
        for part, (label, colour) in PARTS.items():
            axes.barh(place, parts[part] / scale, 0.7, left=left, color=colour, edgecolor="white",
                      linewidth=0.5, label=label if place == 0 else None)
            left += parts[part] / scale
        decimals = max(0, 2 - math.floor(math.log10(total / unit)))
        axes.text(left, place, f" {total / unit:.{decimals}f} {name}", va="center", fontsize=8)
    axes.set_yticks(range(len(bars)), [str(label) for label, _ in bars], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12 * (100 if options.shares else max(totals) / unit))
    axes.set_xlabel(f"share of the {what}, %" if options.shares else f"time of a {what}, {name}",
                    fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x", **picture.GRID)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.legend(fontsize=8, loc="upper center", frameon=False, ncol=len(PARTS), columnspacing=1,
                  handlelength=1)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.3 / figure.get_figheight()))
    picture.save(figure)


if __name__ == "__main__":
    main()
