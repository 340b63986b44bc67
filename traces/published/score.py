#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scores predictions of published training throughputs (training.csv) by the rules of README.md.

score.py PREDICTIONS.csv... [--data training.csv] [--format table|json]

PREDICTIONS.csv has the columns id and predicted (tokens per second and GPU) and, if a simulator
gives ranges of nominal 80 %, low and high; other columns are ignored. Any simulator may write it.
Several files are compared on the rows that all of them predict.
"""
import argparse
import csv
import json
import math
import sys
from pathlib import Path

NEAR = 0.30    # errors below this count as near
NARROW = 0.15  # half of a narrow range, over the prediction


def fail(text: str) -> None:
    sys.exit(print(text, file=sys.stderr) or 2)


def read(path: str, columns: list[str]) -> list[dict[str, str]]:
    """The rows of a CSV file, with their line numbers; lines that begin with # are comments."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: cannot be read: {error}")
    numbered = [(i, line) for i, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    table = csv.DictReader(line for _, line in numbered)
    missing = [name for name in columns if name not in (table.fieldnames or [])]
    if missing:
        fail(f"{path}: lacks the column {missing[0]}; write {','.join(columns)}")
    return [row | {"line": str(i)} for (i, _), row in zip(numbered[1:], table)]


def number(path: str, row: dict[str, str], name: str) -> float | None:
    """A number above 0; None if the field is empty."""
    text = (row.get(name) or "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (value > 0 and math.isfinite(value)):
        fail(f"{path}:{row['line']}:1: {name}: '{text}' is not a number above 0")
    return value


def is_apart(row: dict[str, str], counted: list[dict[str, str]]) -> bool:
    """Whether no counted row of another fold has its GPU generation, or none has its stack."""
    others = [other for other in counted if other["fold"] != row["fold"]]
    return any(all(other[name] != row[name] for other in others) for name in ("gpu", "stack"))


def mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def summary(folds: dict[str, list[dict]]) -> dict:
    """Of these folds, each weighing the same; shares of rows weigh each row the same."""
    rows = [row for fold in folds.values() for row in fold]
    ranged = {name: [row for row in fold if row["inside"] is not None] for name, fold in folds.items()}
    widths = [row["half_width"] for fold in ranged.values() for row in fold]
    return {"folds": len(folds), "rows": len(rows),
            "mean_of_fold_means": mean([mean([row["error"] for row in fold]) for fold in folds.values()]),
            "near": mean([row["error"] < NEAR for row in rows]),
            "coverage": mean([mean([row["inside"] for row in fold]) for fold in ranged.values() if fold]),
            "narrow": mean([width < NARROW for width in widths])}


def scored(data: list[dict[str, str]], predictions: list[dict], data_path: str = "") -> dict:
    """Errors of each fold, and of all: the rules of README.md."""
    counted = [row for row in data if row["counts"] == "1"]
    by_id = {row["id"]: row for row in predictions}
    folds: dict[str, list[dict]] = {}
    apart = {}
    for row in counted:
        one = by_id.get(row["id"])
        apart.setdefault(row["fold"], []).append(is_apart(row, counted))
        if one is None or one["predicted"] is None:
            continue
        value = number(data_path, row, "tokens_per_s_per_gpu")
        ranged = one["low"] is not None and one["high"] is not None
        folds.setdefault(row["fold"], []).append({
            "error": abs(one["predicted"] / value - 1), "signed": one["predicted"] / value - 1,
            "inside": one["low"] <= value <= one["high"] if ranged else None,
            "half_width": (one["high"] - one["low"]) / 2 / one["predicted"] if ranged else None})
    result = {"missing": [row["id"] for row in counted if by_id.get(row["id"], {}).get("predicted") is None],
              "by_fold": {}}
    for name, rows in folds.items():
        inside = [row["inside"] for row in rows if row["inside"] is not None]
        result["by_fold"][name] = {
            "apart": all(apart[name]), "rows": len(rows), "mean": mean([row["error"] for row in rows]),
            "bias": mean([row["signed"] for row in rows]), "worst": max(row["error"] for row in rows),
            "near": mean([row["error"] < NEAR for row in rows]), "coverage": mean(inside)}
    result["all"] = summary(folds)
    result["not_apart"] = summary({name: rows for name, rows in folds.items() if not all(apart[name])})
    return result


def read_predictions(path: str, data: list[dict[str, str]]) -> list[dict]:
    known, seen, result = {row["id"] for row in data}, set(), []
    for row in read(path, ["id", "predicted"]):
        if row["id"] not in known:
            fail(f"{path}:{row['line']}:1: id: '{row['id']}' is no row of the data")
        if row["id"] in seen:
            fail(f"{path}:{row['line']}:1: id: '{row['id']}' is predicted twice")
        seen.add(row["id"])
        one = {name: number(path, row, name) for name in ("predicted", "low", "high")}
        if one["low"] is not None and one["high"] is not None and one["low"] > one["high"]:
            fail(f"{path}:{row['line']}:1: low: {row['low']} is above high, {row['high']}")
        result.append({"id": row["id"]} | one)
    return result


def on_common_rows(files: dict[str, list[dict]]) -> dict[str, list[dict]]:
    """Of each file, the predictions of rows that all files predict."""
    common = set.intersection(*({row["id"] for row in rows if row["predicted"] is not None}
                                for rows in files.values()))
    return {path: [row for row in rows if row["id"] in common] for path, rows in files.items()}


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def print_table(results: dict[str, dict]) -> None:
    """Of each fold, a line for each file of predictions; several files are named."""
    line = "{:<16}{:>6}{:>10}{:>10}{:>10}{:>13}{:>11}{}".format
    several = len(results) > 1
    ends = [f"  {path}" if several else "" for path in results]

    def print_lines(title: str, of_files: list[dict], mean_name: str) -> None:
        for i, (one, end) in enumerate(zip(of_files, ends)):
            print(line("" if i else title, "" if i else one["rows"], percent(one[mean_name]),
                       *(percent(one[name]) if name in one else "" for name in ("bias", "worst")),
                       percent(one["near"]), percent(one["coverage"]), end))

    print(line("fold", "rows", "mean", "bias", "worst", "within 30 %", "in range",
               "  predictions" if several else ""))
    first = next(iter(results.values()))
    for name, fold in first["by_fold"].items():
        print_lines(name + (" +" if fold["apart"] else ""), [one["by_fold"][name] for one in results.values()], "mean")
    for title, key in (("all folds", "all"), ("folds without +", "not_apart")):
        if first[key]["rows"]:
            print_lines(title, [one[key] for one in results.values()], "mean_of_fold_means")
    print("  + no counted row of another fold has its GPU generation, or none has its stack")
    for one, end in zip(results.values(), ends):
        if one["all"]["narrow"] is not None:
            print(f"  ranges narrower than +-15 %: {percent(one['all']['narrow'])}{end}")
    if first["missing"]:
        print(f"  counted rows without a prediction: {len(first['missing'])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", nargs="+")
    parser.add_argument("--data", default=str(Path(__file__).resolve().with_name("training.csv")))
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    data = read(options.data, ["id", "fold", "stack", "gpu", "tokens_per_s_per_gpu", "counts"])
    files = on_common_rows({path: read_predictions(path, data) for path in options.predictions})
    results = {path: scored(data, predictions, options.data) for path, predictions in files.items()}
    if options.format == "json":
        print(json.dumps(results if len(results) > 1 else next(iter(results.values())), indent=2))
    else:
        print_table(results)


if __name__ == "__main__":
    main()
