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

import picture
from picture import plt

FRONT, BEHIND, TOO_LARGE = "#4c78a8", "#707070", "#e45756"
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


def colour_of(report):
    if not report["fits_memory"]:
        return TOO_LARGE
    return FRONT if report["pareto"]["on_front"] else BEHIND


def error_of(report):
    return report["pareto"]["error"]


def has_error(report):
    return error_of(report) is not None


def speed_of(report):
    return report["speedup"] if report["speedup"] else report["tokens_per_s"]


def label_points(axes, points):
    """Names right of their points and a little above, those at nearly one height below each other."""
    lowest = {}
    gap = 0.028 * (axes.get_ylim()[1] - axes.get_ylim()[0])
    for x, y, report in sorted(points, key=lambda point: -point[1]):
        column = round(axes.transData.transform((x, y))[0] / 45)
        neighbours = [lowest[near] for near in (column - 1, column, column + 1) if near in lowest]
        height = min([y + gap / 4] + [taken - gap for taken in neighbours])
        lowest[column] = height
        axes.text(x, height, "   " + report["scheme"], fontsize=7, color=colour_of(report))


def draw(axes, reports, place):
    points = [(place(report), speed_of(report), report) for report in reports]
    for x, y, report in points:
        axes.plot([x], [y], marker="o" if report["pareto"]["on_front"] else "x", markersize=5,
                  color=colour_of(report))
    return points


def panels(unmeasured):
    """One for those with an error, between those without a codec and those without a measurement."""
    widths = [1.2, 6] + ([1.2] if unmeasured else [])
    figure, axes = plt.subplots(1, len(widths), sharey=True, figsize=(10, 5),
                                gridspec_kw={"width_ratios": widths, "wspace": 0})
    for side, text in zip([axes[0], *axes[2:]], (PLAIN, UNMEASURED)):
        side.set_xlim(-0.15, 1)
        side.set_xticks([])
        side.set_xlabel(text, fontsize=8)
    axes[1].set_xscale("log")
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
    axes[1].plot([x for x, _ in front], [y for _, y in front], color=FRONT, linewidth=1,
                 drawstyle="steps-post")
    if measured:  # room for the names
        axes[1].set_xlim(min(map(error_of, measured)) / 1.5, max(map(error_of, measured)) * 4)
    for which, points in zip(axes, drawn):
        label_points(which, points)
    finish(figure, axes, reports)


def finish(figure, axes, reports):
    baseline = reports[0]["baseline"] or reports[-1]["baseline"]
    fits = all(one["baseline_fits_memory"] in (None, True) for one in reports)
    speed = f"speed-up over {baseline}" if baseline else "tokens per second"
    axes[0].set_ylabel(speed if fits else f"{speed}, which does not fit in memory", fontsize=9)
    axes[1].set_xlabel("relative L2 error of what arrives in a step: weights or gradients' sum, "
                       "the larger", fontsize=9)
    first = reports[0]
    figure.suptitle(f"{first['model']} on {first['gpus']} GPUs of {first['topology']}", fontsize=10)
    marks = [plt.Line2D([], [], marker="o", linestyle="-", color=FRONT, label="on the Pareto front"),
             plt.Line2D([], [], marker="x", linestyle="", color=BEHIND, label="behind it")]
    if any(not one["fits_memory"] for one in reports):
        marks.append(plt.Line2D([], [], marker="x", linestyle="", color=TOO_LARGE,
                                label="does not fit in memory"))
    axes[1].legend(handles=marks, fontsize=8, loc="upper left", frameon=False)
    figure.tight_layout()
    picture.save(figure)


if __name__ == "__main__":
    main()
