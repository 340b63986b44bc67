#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the price of a training against its time: one mark per plan, in its scheme's look, from the output
of `plan`.

    build/release/gardenhose plan ... --all --format csv | plots/plans.py > picture.svg
"""

import labels
import looks
import picture
from picture import plt

DAY_S = 24 * 3600
COLUMNS = ["scheme", "gpus", "training_time_s", "price_usd", "price_usd_low", "price_usd_high",
           "training_time_s_low", "training_time_s_high"]
SOURCE = "gardenhose plan ... --all --format csv"


def read_plans():
    """(scheme, GPUs, the time and its range in days, the price and its range in thousands of dollars)."""
    plans = []
    for row in picture.read_rows(COLUMNS, SOURCE):
        time, price = ([picture.number(row[name + end]) for end in ("", "_low", "_high")]
                       for name in ("training_time_s", "price_usd"))
        if time[0] is None or price[0] is None:
            picture.refuse(f"a plan without a time or a price; pipe in `{SOURCE}`, of a cluster with prices")
        plans.append((row["scheme"], row["gpus"], [end and end / DAY_S for end in time],
                      [end and end / 1e3 for end in price]))
    return plans


def main():
    plans = read_plans()
    figure, axes = plt.subplots(figsize=(8.5, 5.2))
    names = list(dict.fromkeys(scheme for scheme, *_ in plans))
    ranged = False
    for place, name in enumerate(names):
        own = sorted((time, price) for scheme, _, time, price in plans if scheme == name)
        look = looks.scheme_style(name, place)
        axes.plot([time[0] for time, _ in own], [price[0] for _, price in own], linewidth=0.8, markersize=6,
                  marker=look["marker"], color=look["color"], label=name, zorder=3)
        ranged |= looks.ranges(axes, [(time[0], *price) for time, price in own], look["color"])
        looks.ranges(axes, [(time[0], price[0], *time[1:]) for time, price in own], look["color"], upright=False)
    is_log = max(time[0] for *_, time, _ in plans) > 5 * min(time[0] for *_, time, _ in plans)
    if is_log:
        picture.logarithmic(axes, "x")
    axes.set_xlabel(f"training time (days{', logarithmic' if is_log else ''})", fontsize=9)
    axes.set_ylabel("price (thousand USD)", fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(**picture.GRID)
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    looks.note(figure, looks.LIKELY if ranged else "These plans have no likely ranges.")
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    labels.place(axes, [(time[0], price[0], f"{gpus} GPUs", looks.scheme_style(scheme)["color"])
                        for scheme, gpus, time, price in plans],
                 [(time[0], price[1] or price[0], time[0], price[2] or price[0]) for *_, time, price in plans] +
                 [(time[1] or time[0], price[0], time[2] or time[0], price[0]) for *_, time, price in plans])
    picture.save(figure)


if __name__ == "__main__":
    main()
