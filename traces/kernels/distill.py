#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Distils published times of matrix products into the tables products_GPU.csv beside this script, one a die.

    traces/kernels/distill.py FOLDER

FOLDER has, extracted from the tables of NVIDIA AIConfigurator that README.md names,

    gemm_GPU.csv.gz      precision,m,n,k,seconds: C(m,n) = A(m,k) B(k,n); one row of a shape
    fp8_casts.csv.gz     gpu,kernel,quant_dtype,m,k,seconds: kernels computescale and scale_matrix

Each line of a table has one m and n, and the times in microseconds for every k. What is kept are
published times at powers of two, of GPUs of one die as their geometric mean on the first of them. In
FP8 and NVFP4 the published time of a product contains the cast of A, which is subtracted; see README.md.
Prints by how much the GPUs of a die are off their mean.
"""
import csv
import gzip
import math
import os
import sys
from statistics import fmean

# By die, named after the GPU whose times its table has.
DIES = {"a100": ("a100",), "h100": ("h100", "h200"), "b200": ("b200", "gb200"),
        "b300": ("b300", "gb300")}
# What the table of a die is not the mean of, but of the others.
LEFT_OUT = ("h200",)
# Smaller products are too short to be compared between GPUs.
LARGE_FLOP = 1e11
M = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
N = K = (256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
PRECISIONS = {"bfloat16": "bf16", "fp8": "fp8", "nvfp4": "nvfp4"}
# GPUs without published casts take those of the GPU of the same memory.
CASTS_OF = {"b300": "b200", "gb300": "gb200"}
# Dense peaks in TFLOP/s by precision, and GB/s: no product is left faster than they allow.
PEAKS = {"a100": (312, 0, 0, 2039), "h100": (989, 1979, 0, 3350), "h200": (989, 1979, 0, 4800),
         "b200": (2250, 4500, 9000, 7700), "gb200": (2500, 5000, 10000, 8000),
         "b300": (2250, 4500, 14000, 7700), "gb300": (2500, 5000, 15000, 8000)}
BYTES = {"bf16": 2, "fp8": 1, "nvfp4": 0.5625}


def read(folder, name):
    with gzip.open(os.path.join(folder, name), "rt") as file:
        yield from csv.DictReader(file)


def products(folder, gpu):
    times = {}
    for row in read(folder, f"gemm_{gpu}.csv.gz"):
        name = PRECISIONS.get(row["precision"])
        if name:
            shape = int(row["m"]), int(row["n"]), int(row["k"])
            times.setdefault(name, {})[shape] = float(row["seconds"])
    return times


def casts(folder):
    """Seconds of the amax and the cast together, by GPU and (m, k)."""
    total = {}
    for row in read(folder, "fp8_casts.csv.gz"):
        shape = int(row["m"]), int(row["k"])
        of_gpu = total.setdefault(row["gpu"], {})
        of_gpu[shape] = of_gpu.get(shape, 0) + float(row["seconds"])
    return total


def intercept(times, m, k):
    """Of the time over n: what remains of the narrowest product less the slope from 1024 to 4096."""
    slope = (times[m, 4096, k] - times[m, 1024, k]) / 3072
    return max(0.0, times[m, 256, k] - 256 * slope)


def bound(gpu, name, m, n, k):
    peak = PEAKS[gpu][("bf16", "fp8", "nvfp4").index(name)] * 1e12
    moved = BYTES[name] * (m * k + k * n) + 2 * m * n
    return max(2 * m * n * k / peak, moved / (PEAKS[gpu][3] * 1e9))


def without_cast(gpu, name, times, cast):
    """The times of the products alone, at the grid's shapes."""
    left = {}
    for (m, n, k), seconds in times.items():
        if n not in N or k not in K or m not in M:
            continue
        of_a = 0.0
        if name == "fp8":
            of_a = cast[CASTS_OF.get(gpu, gpu)][m, k]
        elif name == "nvfp4":
            of_a = intercept(times, m, k)
        left[m, n, k] = max(seconds - of_a, bound(gpu, name, m, n, k))
    return left


def filled(gpu, name, times, ms):
    """The few largest shapes that did not fit the GPU, at the rate of the next smaller m or k."""
    for m in ms:
        for n in N:
            for k in K:
                if (m, n, k) in times:
                    continue
                smaller = (m // 2, n, k) if m > ms[0] else (m, n, K[K.index(k) - 1])
                growth = bound(gpu, name, m, n, k) / bound(gpu, name, *smaller)
                times[m, n, k] = times[smaller] * growth
    return times


def of_gpu(folder, gpu, cast):
    """The grid of each precision, in seconds."""
    tables = {}
    for name, times in products(folder, gpu).items():
        ms = [m for m in M if any(shape[0] == m for shape in times)]
        tables[name] = filled(gpu, name, without_cast(gpu, name, times, cast), ms)
    return tables


def carried(times, name, gpu, to):
    """To another GPU of the die: what a product takes beyond its roofline stays."""
    return {shape: seconds - bound(gpu, name, *shape) + bound(to, name, *shape)
            for shape, seconds in times.items()}


def of_die(folder, gpus, cast):
    """The table of each precision, and the deviation of all GPUs' logarithms from their mean."""
    by_gpu = {gpu: of_gpu(folder, gpu, cast) for gpu in gpus}
    tables, scatter = {}, {}
    for name in by_gpu[gpus[0]]:
        logs = {gpu: {shape: math.log(seconds) for shape, seconds in
                      carried(by_gpu[gpu][name], name, gpu, gpus[0]).items()} for gpu in gpus}
        kept = [logs[gpu] for gpu in gpus if gpu not in LEFT_OUT]
        tables[name] = {shape: math.exp(fmean(one[shape] for one in kept)) for shape in kept[0]}
        squares = []
        for shape in kept[0]:
            of_shape = [one[shape] for one in logs.values()]
            if 2 * math.prod(shape) >= LARGE_FLOP:
                squares += [(one - fmean(of_shape)) ** 2 for one in of_shape]
        scatter[name] = math.sqrt(fmean(squares))
    return tables, scatter


def write(gpu, tables):
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, f"products_{gpu}.csv"), "w", encoding="utf-8") as out:
        out.write("# Microseconds of a product C(m,n) = A(m,k) B(k,n), by k. Made by distill.py;\n"
                  "# sources: README.md.\n")
        out.write("precision,m,n," + ",".join(f"k{k}" for k in K) + "\n")
        for name, times in tables.items():
            for m in sorted({shape[0] for shape in times}):
                for n in N:
                    out.write(f"{name},{m},{n}," +
                              ",".join(f"{1e6 * times[m, n, k]:.4g}" for k in K) + "\n")


def main():
    folder = sys.argv[1]
    cast = casts(folder)
    for gpu, gpus in DIES.items():
        tables, scatter = of_die(folder, gpus, cast)
        write(gpu, tables)
        if len(gpus) > 1:
            print(gpu, ", ".join(f"{name} {value:.3f}" for name, value in scatter.items()))


if __name__ == "__main__":
    main()
