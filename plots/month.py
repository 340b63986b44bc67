#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots a month: which sites are there when, the rounds that they end, and what is lost; or how a job
fails and recovers. From the output of `run --month`.

    build/release/gardenhose run ... --set sites.peer.stays=20h ... --month month.csv
    plots/month.py < month.csv > month.svg
    plots/month.py --days 3:3.5 < month.csv > a_morning.svg
"""

import argparse

import looks
import picture
from picture import plt

COLUMNS = ["start_s", "end_s", "of", "what", "count", "members"]
DAY_S = 24 * 3600
KEPT, LOST, WAITS, STARTS, IDLE, REPAIR, SAVES = (looks.COLOURS[name] for name in (
    "green", "vermilion", "ochre", "blue", "field", "pink", "violet"))
# Colours of what is drawn, in the legend's order.
WHATS = {"rounds": KEPT, "steps": KEPT, "exchange": KEPT, "kept": KEPT, "there": KEPT,
         "broken exchange": LOST, "lost round": LOST, "trained again": LOST,
         "waiting": WAITS, "detection": WAITS, "repair": REPAIR,
         "checkpoint": SAVES, "loading": STARTS, "restart": STARTS, "too few sites": IDLE, "away": IDLE}
MOST_NAMED = 40  # tracks whose names are legible


def days_of(text):
    try:
        first, last = (float(end) for end in text.split(":"))
    except ValueError:
        first, last = 0, 0
    if not 0 <= first < last:
        picture.refuse(f"--days: '{text}' is not of the form 3:3.5")
    return first, last


def read_tracks(days):
    """By track, in the file's order: (what, first day, length in days) of what lies in these days."""
    tracks = {}
    for row in picture.read_rows(COLUMNS, "gardenhose run ... --month month.csv; cat month.csv"):
        if row["what"] not in WHATS:
            picture.refuse(f"'{row['what']}' is nothing that run --month writes")
        spans = tracks.setdefault(row["of"], [])
        start, end = float(row["start_s"]) / DAY_S, float(row["end_s"]) / DAY_S
        if days:
            start, end = max(start, days[0]), min(end, days[1])
        if end > start:
            spans.append((row["what"], start, end - start))
    if not any(tracks.values()):
        picture.refuse("nothing happens in these --days")
    return tracks


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--days", type=days_of, help="the days to draw, such as 3:3.5; all by default")
    arguments = parser.parse_args()
    tracks = read_tracks(arguments.days)
    each = min(0.25, 10 / len(tracks))
    figure, axes = plt.subplots(figsize=(9, 1.2 + each * len(tracks)))
    drawn = {}
    for place, spans in enumerate(tracks.values()):
        for what in WHATS:
            bars = [(start, length) for one, start, length in spans if one == what]
            if not bars:
                continue
            # Edges, so that what lasts seconds of a month leaves a line.
            drawn[what] = axes.broken_barh(bars, (place - 0.4, 0.8), facecolors=WHATS[what],
                                           edgecolors=looks.SOFT if WHATS[what] == IDLE else WHATS[what],
                                           linewidth=0.3)
    axes.set_ylim(len(tracks) - 0.5, -0.5)
    if len(tracks) <= MOST_NAMED:
        axes.set_yticks(range(len(tracks)), list(tracks), fontsize=7)
    else:
        axes.set_yticks([])
    axes.set_xlabel("time (days)", fontsize=9)
    axes.set_ylabel("rounds, and each site", fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    names = {}
    for what in WHATS:
        if what in drawn:
            names.setdefault(WHATS[what], []).append(what)
    axes.legend([drawn[whats[0]] for whats in names.values()],
                [", ".join(whats) for whats in names.values()], fontsize=7, loc="upper left",
                bbox_to_anchor=(1.01, 1), frameon=False)
    looks.note(figure, "One simulated month: run --month draws the events that its report averages, without ranges.")
    figure.tight_layout(rect=(0, 0.25 / figure.get_figheight(), 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
