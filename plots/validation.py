#!/usr/bin/python3
"""Draws what `gardenhose validate --format csv` prints: predicted against published throughput.

    build/release/gardenhose validate sdp4bit --format csv | plots/validation.py > plots/sdp4bit.svg
"""

import csv
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "gardenhose"  # the same picture for the same numbers
import matplotlib.pyplot as plt  # noqa: E402  (after the backend is chosen)

COLUMNS = {"blind": "#c8c8c8", "null_refit": "#e08a3c", "fitted": "#1f6fb4"}
LABELS = {
    "blind": "data sheets only",
    "null_refit": "no simulation, constants of its own",
    "fitted": "simulated",
}


def read_rows(stream):
    """The throughput rows of the CSV, numbers as floats."""
    rows = []
    for row in csv.DictReader(stream):
        if row["what"] != "tflops_per_gpu" or not row["row"].startswith("sdp4bit_throughput"):
            continue
        for column in ("published", *COLUMNS):
            row[column] = float(row[column])
        rows.append(row)
    if not rows:
        sys.exit("validation.py: no throughput rows on standard input; pipe in "
                 "`gardenhose validate --format csv`")
    return rows


def draw_cluster(axes, cluster, rows):
    highest = 1.25 * max(max(row["published"], row["fitted"]) for row in rows)
    axes.plot([0, highest], [0, highest], color="black", linewidth=0.8)
    axes.fill_between([0, highest], [0, 0.9 * highest], [0, 1.1 * highest], color="#1f6fb4",
                      alpha=0.12, linewidth=0)
    for column, colour in COLUMNS.items():
        for used in ("true", "false"):
            shown = [row for row in rows if row["used_in_fit"] == used]
            axes.scatter([row["published"] for row in shown], [row[column] for row in shown],
                         s=26, edgecolors=colour, zorder=3,
                         facecolors="none" if used == "true" else colour,
                         label=LABELS[column] if used == "false" else None)
    axes.set_xlim(0, highest)
    axes.set_ylim(0, 2 * highest)
    axes.set_title(f"{cluster.upper()} cluster, 5 models, with and without SDP4Bit", fontsize=9)
    axes.set_xlabel("published TFLOPs per GPU")


def main():
    rows = read_rows(sys.stdin)
    clusters = sorted({row["row"].split("/")[1] for row in rows})
    figure, axes = plt.subplots(1, len(clusters), figsize=(9, 3.8), squeeze=False)
    for panel, cluster in zip(axes[0], clusters):
        draw_cluster(panel, cluster, [row for row in rows if f"/{cluster}/" in row["row"]])
    axes[0][0].set_ylabel("predicted")
    axes[0][0].legend(fontsize=8, loc="upper left", frameon=False,
                      title="hollow: a constant was fitted on it; band: 10 %", title_fontsize=7)
    figure.tight_layout()
    figure.savefig(sys.stdout.buffer, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
