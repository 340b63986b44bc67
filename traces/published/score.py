#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scores predictions of published training throughputs (training.csv) by the rules of README.md.

score.py PREDICTIONS.csv [--data training.csv] [--format table|json]

PREDICTIONS.csv has the columns id and predicted (tokens per second and GPU) and, if a simulator
gives ranges of nominal 80 %, low and high; other columns are ignored. Any simulator may write it.
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
        result.append({"id": row["id"]} | {name: number(path, row, name) for name in ("predicted", "low", "high")})
    return result


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def print_table(result: dict) -> None:
    line = "{:<16}{:>6}{:>10}{:>10}{:>10}{:>13}{:>11}".format
    print(line("fold", "rows", "mean", "bias", "worst", "within 30 %", "in range"))
    for name, one in result["by_fold"].items():
        print(line(name + (" +" if one["apart"] else ""), one["rows"], percent(one["mean"]),
                   percent(one["bias"]), percent(one["worst"]), percent(one["near"]), percent(one["coverage"])))
    for title, key in (("all folds", "all"), ("folds without +", "not_apart")):
        one = result[key]
        print(line(title, one["rows"], percent(one["mean_of_fold_means"]), "", "", percent(one["near"]),
                   percent(one["coverage"])))
    print("  + no counted row of another fold has its GPU generation, or none has its stack")
    if result["all"]["narrow"] is not None:
        print(f"  ranges narrower than +-15 %: {percent(result['all']['narrow'])}")
    if result["missing"]:
        print(f"  counted rows without a prediction: {len(result['missing'])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions")
    parser.add_argument("--data", default=str(Path(__file__).resolve().with_name("training.csv")))
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    data = read(options.data, ["id", "fold", "stack", "gpu", "tokens_per_s_per_gpu", "counts"])
    result = scored(data, read_predictions(options.predictions, data), options.data)
    if options.format == "json":
        print(json.dumps(result, indent=2))
    else:
        print_table(result)


if __name__ == "__main__":
    main()
