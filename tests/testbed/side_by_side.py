#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How much longer codecs take when several processes run them at once, beside the law of the simulator: processes
over cores. Nothing else should run.

    tests/testbed/side_by_side.py
"""
import csv
import json
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from testbed import default_build  # noqa: E402

CODECS = ("int8_g512_sr", "int4_minmax_g512_sr", "topk64", "sparseloco", "mxfp4")
SIZE = "8 MiB"


def seconds(processes):
    """By kernel, medians of what each process measured."""
    command = [default_build() / "gardenhose-calibrate", "--device", "cpu", "--min-size", SIZE, "--max-size", SIZE,
               "--codecs", *CODECS]

    def run(_):
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    with ThreadPoolExecutor(processes) as pool:
        tables = list(pool.map(run, range(processes)))
    kernels = {}
    for table in tables:
        for row in table["codecs"]:
            kernels.setdefault((row["codec"], row["operation"], row["inputs"]), []).append(row["median_s"][0])
    return {kernel: statistics.median(times) for kernel, times in kernels.items()}


def main():
    alone = seconds(1)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["processes", "law", "measured", "least", "most"])
    for processes in (2, 4):
        ratios = [together / alone[kernel] for kernel, together in seconds(processes).items()]
        law = max(1, processes / os.cpu_count())
        table.writerow([processes, *(f"{x:.2f}" for x in (law, statistics.median(ratios), min(ratios), max(ratios)))])


if __name__ == "__main__":
    main()
