# SPDX-License-Identifier: Apache-2.0
"""How throughput per GPU changes with the number of GPUs, published and predicted: series of the training data set
whose rows differ in nothing else."""
import csv
import re
from statistics import mean

from pages import ROOT

TRAINING = ROOT / "traces/published/training.csv"


def series_of(rows: list[dict]) -> dict[tuple, list[dict]]:
    """Rows by all but their number of nodes, each series by GPUs."""
    series: dict[tuple, list[dict]] = {}
    for row in rows:
        flags = re.sub(r"--nodes \d+ ?", "", row["flags"])
        series.setdefault((row["group"], row["model"], row["precision"], flags), []).append(row)
    for some in series.values():
        some.sort(key=lambda row: int(row["gpus"]))
    return {key: some for key, some in series.items() if len({row["gpus"] for row in some}) > 1}


def lines_of(answer: dict) -> list[list[str]]:
    """A line for each series, from its fewest to its most GPUs, and means over those that lose."""
    with open(TRAINING, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    predicted = {row["id"]: row["predicted"] for row in answer["rows"] if row["scored"]}
    lines, losing = [], []
    for (group, model, precision, _), some in series_of([row for row in rows if row["id"] in predicted]).items():
        first, last = some[0], some[-1]
        changes = [float(last["tokens_per_s_per_gpu"]) / float(first["tokens_per_s_per_gpu"]) - 1,
                   predicted[last["id"]] / predicted[first["id"]] - 1]
        lines.append([f"`{group}`", f"`{model}`, {precision}", f"{first['gpus']} to {last['gpus']}",
                      *(f"{100 * change:+.1f} %" for change in changes)])
        if changes[0] < 0:
            losing.append(changes)
    return [*lines, ["mean of those that lose", f"{len(losing)} series", "",
                     *(f"{100 * mean(column):+.1f} %" for column in zip(*losing))]]
