#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots what fills the memory of a GPU: one stacked bar per scheme, from the output of `run`.

    build/release/gardenhose run ... --scheme sharded,sdp4bit --format json |
      plots/memory.py --capacity "80 GB" > picture.svg
"""

import argparse

import looks
import picture
import reports
from picture import plt

GB = 1e9


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--capacity", metavar="SIZE", help="memory of a GPU, such as '80 GB': a line")
    options = parser.parse_args()
    size = picture.QUANTITY.fullmatch(options.capacity or "")
    if options.capacity and (not size or size[3] != "B"):
        picture.refuse(f"--capacity: '{options.capacity}' is no size; write e.g. \"80 GB\"")
    options.capacity_bytes = picture.number(options.capacity)
    return options


def main():
    options = parse()
    shown = [one for one in reports.read() if one.get("memory_by_part_bytes")]
    if not shown:
        picture.refuse("no report has memory_by_part_bytes; pipe in `gardenhose run ... --format json`")
    figure, axes = plt.subplots(figsize=(8.5, 2 + 0.5 * len(shown)))
    used = [part for part in looks.LOOKS["memory"] if any(one["memory_by_part_bytes"].get(part) for one in shown)]
    for place, report in enumerate(shown):
        left = 0
        for part in used:
            size = report["memory_by_part_bytes"].get(part, 0) / GB
            axes.barh(place, size, 0.66, left=left, label=part.replace("_", " ") if place == 0 else None,
                      **looks.fill(looks.LOOKS["memory"][part]))
            left += size
        more = "" if report["fits_memory"] else ", does not fit"
        axes.text(left, place, f" {left:.1f} GB{more}", va="center", fontsize=8)
    sizes = [report["memory_per_gpu_bytes"] / GB for report in shown]
    if options.capacity_bytes:
        capacity = options.capacity_bytes / GB
        axes.axvline(capacity, color=looks.INK, linewidth=1.2, linestyle="--",
                     label=f"capacity, {capacity:g} GB")
        sizes.append(capacity)
    axes.set_xlim(0, 1.3 * max(sizes))
    axes.set_yticks(range(len(shown)), [one["scheme"] for one in shown], fontsize=9)
    axes.invert_yaxis()
    axes.set_ylabel("scheme", fontsize=9)
    axes.set_xlabel("memory of a GPU (GB)", fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x", **picture.GRID)
    axes.set_title(reports.title_of(shown[0]), fontsize=9)
    figure.legend(fontsize=8, loc="lower center", frameon=False, ncol=4,
                  bbox_to_anchor=(0.5, 0.2 / figure.get_figheight()))
    looks.note(figure, "Sizes are sums of tensors and have no likely range.")
    rows = -(-(len(used) + bool(options.capacity_bytes)) // 4)
    figure.tight_layout(rect=(0, (0.35 + 0.19 * rows) / figure.get_figheight(), 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
