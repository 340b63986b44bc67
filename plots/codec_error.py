#!/usr/bin/python3
"""Draws the error of every codec by the bytes that it sends, from the table of errors.

    plots/codec_error.py [DISTRIBUTION] < traces/calibration/codec_error.json > plots/codec_error.svg
"""

import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "gardenhose"  # the same picture for the same numbers
import matplotlib.pyplot as plt  # noqa: E402  (after the backend is chosen)


def read_points(stream, distribution):
    """(bits an element, relative L2, codec) of each codec that has an error."""
    table = json.load(stream)
    points = []
    for codec, row in table["codecs"].items():
        if distribution not in row:
            sys.exit(f"codec_error.py: no distribution {distribution}; known: {', '.join(row)}")
        if row[distribution]["relative_l2"]:
            points.append((table["bits_per_element"][codec], row[distribution]["relative_l2"], codec))
    return sorted(points)


def main():
    distribution = sys.argv[1] if len(sys.argv) > 1 else "normal"
    points = read_points(sys.stdin, distribution)
    figure, axes = plt.subplots(figsize=(9, 6))
    axes.scatter([bits for bits, _, _ in points], [error for _, error, _ in points], s=14,
                 color="#1f6fb4")
    for bits, error, codec in points:
        axes.annotate(codec, (bits, error), fontsize=5, xytext=(3, 1), textcoords="offset points")
    # Rate and distortion of a normal source: no codec of independent values is below 2^-bits.
    lowest, highest = axes.get_xlim()
    line = [max(lowest, 0), highest]
    axes.plot(line, [2 ** -bits for bits in line], color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_ylim(0.5 * min(error for _, error, _ in points), 3)
    axes.set_xlabel("bits per element on the wire")
    axes.set_ylabel(f"relative L2 error, {distribution}")
    figure.tight_layout()
    figure.savefig(sys.stdout.buffer, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
