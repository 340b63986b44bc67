# SPDX-License-Identifier: Apache-2.0
"""Predictions of the cases of training_cases.py, and their errors once the steps were measured."""
import csv
import datetime
import json
import statistics
import subprocess

from training_cases import CASES, ROOT

CLUSTER = "--topology dgx_h100_x16 --nodes 1 --gpus-per-node 1"
# The null model: FLOPs, those of recomputation included, at this share of the data sheet's rate.
PEAK_FLOPS, USUAL_SHARE = 989e12, 0.4
HEADER = """\
# Training steps on one H100, predicted by the program of commit {commit} on {date}, before any
# of them was measured. Times of H100's kernels are published ones, and the compute efficiency, the
# host's issue time and the ranges (eight cases of ten) are defaults: nothing that was measured for
# this project is used. The cases are those of tests/gpu/training_cases.py. Made by
#   tests/gpu/training_steps.py --predict build/release/gardenhose --output FILE
# and to be compared by
#   tests/gpu/training_steps.py --compare MEASURED FILE
# `plain_arithmetic_s` is the model's FLOPs, 4/3 of them with full recomputation, at 40 % of the data
# sheet's 989 TFLOP/s.
"""
# A step is bound by its host if issuing it takes this share of its time.
HOST_BOUND = 0.9


def predict(program, case):
    """A row: what the simulator says of a case, with its range of eight cases of ten."""
    command = [program, "run", *CLUSTER.split(), *case.flags.split(), "--range", "on", "--format",
               "json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    flops = report["tflops_per_gpu"] * 1e12 * report["step_time_s"]
    done = flops * (4 / 3 if case.recompute == "full" else 1)
    return {"name": case.name, "flags": f"{CLUSTER} {case.flags}",
            "step_s": report["step_time_s"],
            "step_low_s": case.tokens / report["tokens_per_s_high"],
            "step_high_s": case.tokens / report["tokens_per_s_low"],
            "tokens_per_s": report["tokens_per_s"],
            "compute_s": report["compute_s"], "optimizer_s": report["optimizer_s"],
            "other_s": report["other_s"], "host_s": report["host_s"],
            "memory_bytes": report["memory_per_gpu_bytes"],
            "model_flops": flops, "plain_arithmetic_s": done / (USUAL_SHARE * PEAK_FLOPS)}


def freeze(program, path):
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"], check=True,
                            capture_output=True, text=True).stdout.strip()
    rows = [predict(program, case) for case in CASES]
    with open(path, "w", newline="") as file:
        file.write(HEADER.format(commit=commit, date=datetime.date.today()))
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()}
                        for row in rows)


def read(path):
    """Rows by name, numbers as floats."""

    def number(text):
        try:
            return float(text)
        except ValueError:
            return text

    with open(path, newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["name"]: {k: number(v) for k, v in row.items()} for row in rows}


def errors_of(measured, predicted):
    """One row for each measured case: relative errors, above 0 for too long or too much."""
    rows = []
    for name, row in measured.items():
        if row["error"] or name not in predicted:
            continue
        said, step = predicted[name], row["step_s"]
        memory = row["peak_memory_bytes"]
        rows.append({
            "name": name, "step_s": step, "predicted_s": said["step_s"],
            "error": said["step_s"] / step - 1,
            "inside": said["step_low_s"] <= step <= said["step_high_s"],
            "plain_error": said["plain_arithmetic_s"] / step - 1,
            "host_bound": row["issue_s"] >= HOST_BOUND * step,
            "memory": memory,
            "memory_error": said["memory_bytes"] / memory - 1 if memory else None})
    return rows


def summary(title, rows):
    """A line of mean errors of a group."""
    if not rows:
        return f"{title:28}none"

    def mean(key, of=float):
        values = [of(row[key]) for row in rows if row[key] is not None]
        return statistics.fmean(values) if values else float("nan")

    return (f"{title:28}{len(rows):4} {mean('error', abs):8.1%} {mean('error'):+8.1%}"
            f" {mean('inside'):8.0%} {mean('plain_error', abs):8.1%} {mean('plain_error'):+8.1%}"
            f" {mean('memory_error', abs):8.1%} {mean('memory_error'):+8.1%}")


def compare(measured_path, predicted_path):
    measured = read(measured_path)
    rows = errors_of(measured, read(predicted_path))
    width = max([len(row["name"]) for row in rows], default=0)
    print(f"{'step':{width}}   measured  predicted   off by  range   plain  host"
          "    memory   off by")
    for row in rows:
        memory = (f"{row['memory'] / 1e9:7.2f} GB {row['memory_error']:+8.1%}"
                  if row["memory"] else "")
        print(f"{row['name']:{width}} {1e3 * row['step_s']:8.2f} ms {1e3 * row['predicted_s']:7.2f}"
              f" ms {row['error']:+8.1%}    {'in' if row['inside'] else 'out':3}"
              f" {row['plain_error']:+7.0%}  {'bound' if row['host_bound'] else '     '} {memory}")
    print(f"\n{'':28}rows    off by   signed in range    plain   signed   memory   signed")
    groups = {"host-bound": lambda r: r["host_bound"],
              "not host-bound": lambda r: not r["host_bound"],
              "eager, not host-bound": lambda r: "plain-eager" in r["name"] and not r["host_bound"],
              "compiled, not host-bound": lambda r: "-compile" in r["name"] and not r["host_bound"],
              "FSDP of one": lambda r: "/fsdp" in r["name"],
              "all": lambda r: True}
    for title, belongs in groups.items():
        print(summary(title, [row for row in rows if belongs(row)]))
    for name, row in measured.items():
        if row["error"]:
            print(f"not measured: {name}: {row['error']}")
