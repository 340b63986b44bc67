#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots predicted speed-up against measured codec error, with the Pareto front, from the output
of `run`.

    build/release/gardenhose run ... --scheme all --baseline sharded --format json | plots/pareto.py > picture.svg

The error is the relative L2 error of what arrives in a step, weights or summed gradients,
whichever is larger. The front is the one that run computed. Schemes without a measured error, and
schemes that send values uncompressed, have columns of their own.
"""

import sys

import labels
import looks
import picture
from picture import plt

PLAIN, UNMEASURED = "sends values\nas they are", "error not\nmeasured"


def read_reports(stream):
    try:
        reports = picture.read_json(stream)
    except ValueError:
        reports = None
    if not isinstance(reports, list) or any("pareto" not in one for one in reports):
        picture.refuse("plots only the output of `run --scheme all --baseline NAME --format json`; pipe it in")
    if any(not one["pareto"] for one in reports):
        picture.refuse("needs three or more schemes; use run --scheme all")
    return reports


def error_of(report):
    return report["pareto"]["error"]


def has_error(report):
    return error_of(report) is not None


def speed_of(report):
    return report["speedup"] if report["speedup"] else report["tokens_per_s"]


def range_of(report):
    """The ends of speed_of(); None where they are not known."""
    name = "speedup" if report["speedup"] else "tokens_per_s"
    return report[f"{name}_low"], report[f"{name}_high"]


def draw(axes, reports, place):
    """Marks of their schemes, hollow where a setup does not fit, with likely ranges."""
    points = [(place(report), speed_of(report), report) for report in reports]
    for x, y, report in points:
        look = looks.scheme_style(report["scheme"])
        hollow = {} if report["fits_memory"] else {"markerfacecolor": "white"}
        axes.plot([x], [y], marker=look["marker"], markersize=6, color=look["color"], zorder=3, **hollow)
        looks.ranges(axes, [(x, y, *range_of(report))], look["color"])
    return points


def names(axes, points, steps):
    """Those on the front first, and in the colour of text; none on the steps of the front's line."""
    shown = sorted(points, key=lambda point: (not point[2]["pareto"]["on_front"], -point[1]))
    labels.place(axes, [(x, y, report["scheme"],
                         looks.INK if report["pareto"]["on_front"] else looks.SOFT)
                        for x, y, report in shown],
                 [(x, low, x, high) for x, _, report in points for low, high in [range_of(report)]
                  if low is not None] + steps)


def panels(unmeasured):
    """One for those with an error, between those without a codec and those without a measurement."""
    widths = [1.2, 6] + ([1.2] if unmeasured else [])
    figure, axes = plt.subplots(1, len(widths), sharey=True, figsize=(11, 6),
                                gridspec_kw={"width_ratios": widths, "wspace": 0})
    for side, text in zip([axes[0], *axes[2:]], (PLAIN, UNMEASURED)):
        side.set_xlim(-0.3, 1)
        side.set_xticks([])
        side.set_xlabel(text, fontsize=8)
    picture.logarithmic(axes[1], "x")
    return figure, axes


def main():
    reports = read_reports(sys.stdin)
    measured = [one for one in reports if has_error(one)]
    plain = [one for one in reports if one["pareto"]["sends_plain"]]
    unmeasured = [one for one in reports if one not in measured and one not in plain]
    figure, axes = panels(unmeasured)
    drawn = [draw(axes[0], plain, lambda one: 0), draw(axes[1], measured, error_of)]
    drawn += [draw(one, unmeasured, lambda one: 0) for one in axes[2:]]
    front = sorted((error_of(one), speed_of(one)) for one in measured if one["pareto"]["on_front"])
    axes[1].plot([x for x, _ in front], [y for _, y in front], color=looks.COLOURS["blue"], linewidth=1,
                 drawstyle="steps-post")
    if measured:  # room for the names
        axes[1].set_xlim(min(map(error_of, measured)) / 1.5, max(map(error_of, measured)) * 2)
    finish(figure, axes, reports)
    steps = [(left, height, right, height) for (left, _), (right, height) in zip(front, front[1:])]
    for which, points in zip(axes, drawn):
        names(which, points, steps if which is axes[1] else [])
    picture.save(figure)


def finish(figure, axes, reports):
    baseline = reports[0]["baseline"] or reports[-1]["baseline"]
    fits = all(one["baseline_fits_memory"] in (None, True) for one in reports)
    speed = f"speed-up over {baseline} (×)" if baseline else "tokens per second (1/s)"
    axes[0].set_ylabel(speed if fits else f"{speed}, which does not fit in memory", fontsize=9)
    axes[1].set_xlabel("relative L2 error of what arrives in a step: weights or gradients' sum, "
                       "the larger (no unit)", fontsize=9)
    first = reports[0]
    figure.suptitle(f"{first['model']} on {first['gpus']} GPUs of {first['topology']}", fontsize=10)
    marks = [plt.Line2D([], [], color=looks.COLOURS["blue"], label="Pareto front")]
    if any(not one["fits_memory"] for one in reports):
        marks.append(plt.Line2D([], [], marker="o", linestyle="", color=looks.INK, markerfacecolor="white",
                                label="hollow: does not fit in memory"))
    axes[1].legend(handles=marks, fontsize=8, loc="upper left", frameon=False)
    looks.note(figure, looks.LIKELY)
    figure.tight_layout(rect=(0, 0.02, 1, 1))


if __name__ == "__main__":
    main()
