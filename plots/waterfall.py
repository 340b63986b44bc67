#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots what compression takes from a step and what it adds: from the time of the baseline, part by part,
to that of the scheme, from the output of `run` with a baseline.

    build/release/gardenhose run ... --scheme sdp4bit --baseline twin --format json |
      plots/waterfall.py > picture.svg
"""

import textwrap

import looks
import picture
import reports
from picture import plt

SMALLEST = 0.002  # of the longer step: parts that change by less have no bar of their own


def changes(first, last):
    """(label, part, seconds) of what changes, the greatest saving first; what changes little last, in sum."""
    before, after = reports.parts_of(first), reports.parts_of(last)
    deltas = {part: after[part] - before[part] for part in reports.PARTS}
    least = SMALLEST * max(sum(before.values()), sum(after.values()))
    found = [(reports.PARTS[part], part, delta) for part, delta in sorted(deltas.items(), key=lambda one: one[1])
             if abs(delta) >= least]
    rest = sum(delta for delta in deltas.values() if abs(delta) < least)
    return found + ([("all others", "other_s", rest)] if rest else [])


def whole(axes, place, report, unit):
    """The time of a step as one bar in its scheme's colour."""
    total = sum(reports.parts_of(report).values())
    axes.bar(place, total / unit, 0.62, color=looks.scheme_style(report["scheme"])["color"])
    low, high = (end and end / unit for end in reports.time_range(report, total))
    looks.ranges(axes, [(place, total / unit, low, high)], on_bar=True)
    axes.text(place - 0.29, 0, f"{total / unit:.3g}", ha="left", va="bottom", fontsize=8, color="white")
    return total, low


def above(axes, place, height, text):
    axes.annotate(text, (place, height), xytext=(0, 3), textcoords="offset points", ha="center", va="bottom",
                  fontsize=8)


def main():
    first, *_, last = reports.read(2)
    unit, name = reports.unit_of(max(sum(reports.parts_of(one).values()) for one in (first, last)))
    steps = changes(first, last)
    figure, axes = plt.subplots(figsize=(2.2 + 1.25 * (len(steps) + 2), 4.2))
    level, known = whole(axes, 0, first, unit)
    for place, (_, part, delta) in enumerate(steps, 1):
        axes.bar(place, abs(delta) / unit, 0.62, bottom=min(level, level + delta) / unit, **reports.fill(part))
        axes.plot([place - 0.69, place + 0.31], [level / unit] * 2, color=looks.SOFT, linewidth=0.7)
        above(axes, place, max(level, level + delta) / unit, f"{delta / unit:+.3g}".replace("-", "−"))
        level += delta
    whole(axes, len(steps) + 1, last, unit)
    labels = [first["scheme"], *(label for label, _, _ in steps), last["scheme"]]
    axes.set_xticks(range(len(labels)), [textwrap.fill(label, 15) for label in labels], fontsize=8)
    axes.set_xlabel("from uncompressed to compressed, part by part", fontsize=9)
    axes.set_ylabel(f"time of a {reports.what_of([last])} ({name})", fontsize=9)
    axes.tick_params(axis="y", labelsize=8)
    axes.margins(y=0.1)
    axes.set_ylim(0, None)
    axes.grid(axis="y", **picture.GRID)
    axes.set_title(reports.title_of(last), fontsize=9)
    looks.note(figure, f"{looks.LIKELY} Changes have none." if known else
               "No likely ranges: run with --range on.")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    picture.save(figure)


if __name__ == "__main__":
    main()
