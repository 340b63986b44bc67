#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots bus bandwidth against message size, as nccl-tests defines them, from the output
of `collective`.

    for one in all_gather reduce_scatter all_reduce; do
      build/release/gardenhose collective $one --topology dgx_h100_x16 --format csv
    done | plots/bus_bandwidth.py > picture.svg
"""

import looks
import picture
from picture import plt

COLUMNS = ["collective", "topology", "gpus", "size_bytes", "bus_bandwidth_Bps"]


def size_text(size):
    """8 B, 64 KiB, 1 GiB."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:g} {unit}"
        size /= 1024
    return f"{size:g} GiB"


def read_series():
    """(size, bus bandwidth in GB/s) by what differs: collective, GPUs, topology."""
    rows = [row for row in picture.read_rows(COLUMNS, "gardenhose collective ... --format csv")
            if row["size_bytes"] != "size_bytes"]  # the heading of the next one
    differing = [column for column in COLUMNS[:3] if len({row[column] for row in rows}) > 1]
    series = {}
    try:
        for row in rows:
            name = ", ".join(f"{row[column]} GPUs" if column == "gpus" else row[column]
                             for column in differing or COLUMNS[:1])
            point = (float(row["size_bytes"]), float(row["bus_bandwidth_Bps"]) / 1e9)
            series.setdefault(name, []).append(point)
    except (TypeError, ValueError):
        picture.refuse("a row without numbers; pipe in `gardenhose collective ... --format csv`")
    same = {column: rows[0][column] for column in COLUMNS[:3] if column not in differing}
    parts = [same.get("collective", ""), f"{same['gpus']} GPUs" if "gpus" in same else "",
             same.get("topology", "")]
    return series, ", ".join(part for part in parts if part)


def main():
    series, title = read_series()
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    for place, (name, points) in enumerate(series.items()):
        sizes, rates = zip(*sorted(points))
        # Rings differ in nothing but their times: the first are wider, to be seen behind the last.
        behind = len(series) - 1 - place
        axes.plot(sizes, rates, linewidth=1.2 + 2 * behind, markersize=4 + 2.5 * behind,
                  label=name, **looks.style(place))
    sizes = sorted({size for points in series.values() for size, _ in points})
    axes.set_xscale("log", base=2)
    shown = sizes[::max(1, -(-len(sizes) // 9))]
    axes.set_xticks(shown, [size_text(size) for size in shown], rotation=30, fontsize=8)
    axes.minorticks_off()
    axes.set_ylim(0, None)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel("size, as in nccl-tests (bytes)", fontsize=9)
    axes.set_ylabel("bus bandwidth (GB/s)", fontsize=9)
    axes.set_title(title, fontsize=9)
    axes.grid(**picture.GRID)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    looks.note(figure, "`collective` predicts no likely ranges.")
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
