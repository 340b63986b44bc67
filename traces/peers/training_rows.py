# SPDX-License-Identifier: Apache-2.0
"""Rows of traces/published/training.csv, as the scripts of this folder translate them for other simulators."""
import collections
import csv
import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

TRACES = Path(__file__).resolve().parents[1]
Row = dict[str, str]


def read_rows() -> list[Row]:
    lines = (TRACES / "published" / "training.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def flags_of(row: Row) -> dict[str, str]:
    """Flags and their values; those of --set by the name of the key."""
    words = shlex.split(row["flags"])
    pairs = zip(words[::2], words[1::2])
    return dict(value.split("=", 1) if flag == "--set" else (flag, value) for flag, value in pairs)


def model_of(row: Row) -> dict:
    """The [model] table of the row's model, with what its flags change."""
    flags = flags_of(row)
    model = tomllib.loads((TRACES / "models" / f"{row['model']}.toml").read_text(encoding="utf-8"))["model"]
    model |= {key.removeprefix("model."): json.loads(value)
              for key, value in flags.items() if key.startswith("model.")}
    return model | {"sequence": int(flags.get("--sequence", model["sequence"]))}


def layout_of(row: Row) -> dict[str, int]:
    """Ranks of each kind, and sequences: of a micro-batch, and of a step."""
    flags = flags_of(row)
    tp, pp = int(flags.get("--tp", 1)), int(flags.get("--pp", 1))
    dp, micro_batch = int(row["gpus"]) // (tp * pp), int(flags.get("--micro-batch", 1))
    accumulated = micro_batch * int(flags.get("--accumulation", 1)) * dp
    return {"tp": tp, "pp": pp, "dp": dp, "micro_batch": micro_batch,
            "batch": int(flags.get("--global-batch", accumulated))}


def run_python(checkout: Path, *arguments: str | Path) -> str:
    """What Python prints in the checkout, whose modules it finds."""
    search = os.pathsep.join(filter(None, (str(checkout), os.environ.get("PYTHONPATH"))))
    return subprocess.run([sys.executable, *arguments], cwd=checkout, check=True, stdout=subprocess.PIPE, text=True,
                          env=os.environ | {"PYTHONPATH": search}).stdout


def commit_of(checkout: Path) -> str:
    return subprocess.run(["git", "-C", checkout, "rev-parse", "--short=7", "HEAD"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def print_predictions(comment: str, why_not: Callable[[Row], str | None],
                      predict: Callable[[Row], float], instead: Callable[[Row], str]) -> None:
    """The table on stdout; on stderr, how many rows are left out, by `why_not`."""
    print("\n".join(f"# {line}" for line in comment.splitlines()))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["id", "predicted", "instead"])
    left_out = collections.Counter()
    for row in read_rows():
        if reason := why_not(row):
            left_out[reason] += 1
        else:
            writer.writerow([row["id"], f"{predict(row):.6g}", instead(row)])
    for reason, count in left_out.items():
        print(f"left out: {count} rows: {reason}", file=sys.stderr)
