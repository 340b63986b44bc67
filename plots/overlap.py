#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots how communication and kernels of a step overlap on one rank, for one or several schemes, from the
timelines of `run --perfetto`.

    build/release/gardenhose run ... --scheme sdp4bit --perfetto sdp4bit.json
    plots/overlap.py sharded.json sdp4bit.json > picture.svg

The last row shows when communication has no kernel beside it: only this makes a step longer. A report
counts a part of it as waiting for the host, where kernels are late.
"""

import argparse
from pathlib import Path

import looks
import picture
from picture import plt

KERNELS = {"forward": "blue", "backward": "blue-deep", "recompute": "blue-deep", "optimizer": "green",
           "memory_pass": "grey", "encode": "ochre", "decode": "ochre"}
ROWS = {"compute": ("forward", "backward", "recompute", "optimizer", "memory_pass"),
        "codec": ("encode", "decode")}
NAMES = {"blue": "forward", "blue-deep": "backward, recomputed", "green": "optimizer",
         "grey": "passes over buffers", "ochre": "codec", "vermilion": "communication",
         "vermilion-deep": "communication alone"}


def read_spans(path):
    """By category: (start, end) in milliseconds on the first process."""
    try:
        with path.open(encoding="utf-8") as file:
            events = picture.read_json(file)["traceEvents"]
        spans = {}
        for event in events:
            if event["ph"] == "X" and event["pid"] == 0:
                spans.setdefault(event["cat"], []).append(
                    (event["ts"] / 1e3, (event["ts"] + event["dur"]) / 1e3))
    except (OSError, ValueError, KeyError, TypeError) as error:
        picture.refuse(f"{path}: is no timeline of `run --perfetto` ({error})")
    return spans


def union(spans):
    """The spans, merged where they touch."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def without(spans, others):
    """What of the merged spans no merged other one covers."""
    left = []
    for start, end in spans:
        for low, high in others:
            if low < end and high > start:
                if low > start:
                    left.append([start, low])
                start = max(start, high)
        if start < end:
            left.append([start, end])
    return left


def length(spans):
    return sum(end - start for start, end in spans)


def bars(axes, place, spans, colour):
    axes.broken_barh([(start, end - start) for start, end in spans], (place - 0.36, 0.72),
                     facecolors=looks.COLOURS[colour], linewidth=0)


def draw(axes, name, spans):
    """The rows of one timeline; returns the colours that it uses."""
    used = set()
    for place, whats in enumerate(ROWS.values()):
        for what in whats:
            if what in spans:
                bars(axes, place, spans[what], KERNELS[what])
                used.add(KERNELS[what])
    sent = union(one for what, own in spans.items() if what.endswith("_comm") for one in own)
    busy = union(one for what, own in spans.items() if what in KERNELS for one in own)
    alone = without(sent, busy)
    bars(axes, 2, sent, "vermilion")
    bars(axes, 3, alone, "vermilion-deep")
    axes.set_yticks(range(4), ["compute", "codec", "communication", "alone"], fontsize=8)
    axes.set_ylim(3.6, -0.6)
    axes.set_ylabel("stream", fontsize=9)
    axes.set_title(f"{name}: {length(sent):.3g} ms of communication, {length(sent) - length(alone):.3g} ms of "
                   f"it beside kernels and {length(alone):.3g} ms alone", fontsize=9, loc="left")
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x", **picture.GRID)
    return used | {"vermilion", "vermilion-deep"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timeline", nargs="+", type=Path, help="file of run --perfetto, named as its scheme")
    files = parser.parse_args().timeline
    timelines = {path.stem: read_spans(path) for path in files}
    figure, grid = plt.subplots(len(timelines), 1, figsize=(9, 1.2 + 1.5 * len(timelines)), sharex=True,
                                squeeze=False)
    used = set()
    for axes, (name, spans) in zip(grid.flat, timelines.items()):
        used |= draw(axes, name, spans)
    grid[-1][0].set_xlabel("time since the step's begin (ms)", fontsize=9)
    grid[-1][0].set_xlim(0, None)
    keys = [plt.Rectangle((0, 0), 1, 1, color=looks.COLOURS[colour], label=label)
            for colour, label in NAMES.items() if colour in used]
    figure.legend(handles=keys, fontsize=8, loc="lower center", ncol=4, frameon=False,
                  bbox_to_anchor=(0.5, 0.2 / figure.get_figheight()))
    looks.note(figure, "One simulated step: a timeline has no likely range.")
    figure.tight_layout(rect=(0, 0.75 / figure.get_figheight(), 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
