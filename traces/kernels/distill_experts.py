#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the shares of [grouped.GPU] in kernels.toml to published layers of experts, and thins these
layers into expert_layers.csv beside this script.

    traces/kernels/distill_experts.py FOLDER

FOLDER has, extracted from the tables of NVIDIA AIConfigurator that README.md names,

    moe_GPU.csv.gz   precision,gated,tokens,hidden,expert_width,top_k,experts,etp,ep,distribution,seconds

A layer permutes rows, multiplies, activates, multiplies and sums back. `tokens` are those of all `ep`
ranks, and the time is of a rank with experts/ep experts of expert_width/etp. Prints the fits, and their
errors on rows that were left out: other shapes, FP8, other GPUs; beside them those of plain rooflines,
of the whole layer and of its products alone. Grouped products are held against the
tables products_GPU.csv, which distill.py makes first.
"""
import bisect
import csv
import math
import os
import sys
from statistics import median

from distill import DIES, PEAKS, bound, carried, read

HERE = os.path.dirname(os.path.abspath(__file__))
GPUS = ("h100", "h200", "b200", "gb200", "a100")
PRECISIONS = {"bfloat16": "bf16", "fp8": "fp8"}
BYTES = {"bf16": 2, "fp8": 1}
# The smallest tile, as in the program.
TILE = 64
SMS = {"a100": 108, "h100": 132, "h200": 132, "b200": 148, "gb200": 148}
WHOLE_TILES = {"a100": (256, 128)}
# Share of the bandwidth that copies reach, and seconds of a launch: topologies/*.toml.
COPIES = {"a100": 0.838, "h100": 0.866, "h200": 0.835, "b200": 0.78, "gb200": 0.78}
LAUNCH_S = 2e-6
# What expert_layers.csv keeps of the rows, which tokens it has, and the columns before them.
KEPT_EP, KEPT_ETP = ("1", "8"), ("1", "2")
TOKENS = (256, 512, 1024, 2048, 4096, 8192, 16384)
SHAPE = ("precision", "gated", "hidden", "expert_width", "top_k", "experts", "etp", "ep")
# (hidden, expert_width, experts): Qwen3-30B-A3B, Qwen3-235B-A22B, Mixtral 8x7B.
FITTED = ((2048, 768, 128), (4096, 1536, 128), (4096, 14336, 8))


def in_tiles(size):
    return math.ceil(size / TILE) * TILE


def excess(gpu, m, n, count):
    """tile_excess() of sim/times/published.cpp."""
    if gpu not in WHOLE_TILES:
        return 1
    rows, columns = (min(most, in_tiles(size)) for most, size in zip(WHOLE_TILES[gpu], (m, n)))
    tiles = math.ceil(m / rows) * math.ceil(n / columns) * count
    return math.ceil(tiles / SMS[gpu]) * SMS[gpu] * rows * columns / (m * n * count)


class Products:
    """forward_seconds() of sim/times/published.cpp."""

    def __init__(self, gpu, name):
        die = next(die for die, gpus in DIES.items() if gpu in gpus)
        times = {}
        with open(os.path.join(HERE, f"products_{die}.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if line[0] != "#"):
                m, n = int(row["m"]), int(row["n"])
                if row["precision"] == name:
                    times.update({(m, n, int(key[1:])): 1e-6 * float(us) / excess(die, m, n, 1)
                                  for key, us in row.items() if key[0] == "k"})
        self.gpu, self.name = gpu, name
        self.times = carried(times, name, die, gpu)
        self.sizes = [sorted({shape[axis] for shape in times}) for axis in range(3)]

    def seconds(self, m, n, k, count):
        shape = [size if size >= sizes[0] else in_tiles(size)
                 for size, sizes in zip((m * count, n, k), self.sizes)]
        inside = [min(max(size, sizes[0]), sizes[-1]) for size, sizes in zip(shape, self.sizes)]
        log_s = self.interpolated(inside, ())
        scale = bound(self.gpu, self.name, *shape) / bound(self.gpu, self.name, *inside)
        peak = PEAKS[self.gpu][("bf16", "fp8").index(self.name)] * 1e12
        return max(math.exp(log_s) * scale * excess(self.gpu, m, n, count),
                   2 * m * n * k * count / peak)

    def interpolated(self, shape, corner):
        if len(corner) == 3:
            return math.log(self.times[corner])
        sizes, size = self.sizes[len(corner)], shape[len(corner)]
        high = min(max(bisect.bisect_left(sizes, size), 1), len(sizes) - 1)
        share = math.log(size / sizes[high - 1]) / math.log(sizes[high] / sizes[high - 1])
        return ((1 - share) * self.interpolated(shape, corner + (sizes[high - 1],)) +
                share * self.interpolated(shape, corner + (sizes[high],)))


class Layer:
    """What the law needs to know of a row."""

    def __init__(self, gpu, row, products):
        number = {key: int(row[key]) for key in
                  ("tokens", "hidden", "expert_width", "top_k", "experts", "etp", "ep", "gated")}
        self.key = tuple(number[key] for key in ("hidden", "expert_width", "experts"))
        self.tokens, self.hidden = number["tokens"], number["hidden"]
        self.experts = number["experts"] // number["ep"]
        self.width = number["expert_width"] // number["etp"]
        self.rows_all = self.tokens * number["top_k"] / number["ep"]
        self.rows = self.rows_all / self.experts
        self.seconds = float(row["seconds"])
        self.gpu, narrow = gpu, BYTES[products.name]
        rising = self.width * (1 + number["gated"])
        shapes = ((rising, self.hidden), (self.hidden, self.width))
        self.compute_s = [products.seconds(in_tiles(self.rows), n, k, self.experts)
                          for n, k in shapes]
        self.moved = [narrow * (self.experts * n * k + self.rows_all * k) + 2 * self.rows_all * n
                      for n, k in shapes]
        self.peak_s = [2 * self.rows_all * n * k / plain_rate(gpu, products.name, self.rows, n,
                                                              self.experts) for n, k in shapes]
        self.permuted = 2 * self.hidden * (3 * self.rows_all + self.tokens)
        self.activated = 2 * self.rows_all * rising + narrow * self.rows_all * self.width

    def law(self, products, permutations, fixed):
        memory = 1e9 * PEAKS[self.gpu][3]
        return (fixed + self.permuted / (memory * permutations) +
                self.activated / (memory * COPIES[self.gpu]) +
                sum(max(compute, moved / (memory * products))
                    for compute, moved in zip(self.compute_s, self.moved)))

    def plain(self):
        """The roofline: peak rates in whole tiles, the bandwidth of copies, six launches."""
        return self.with_plain_products(COPIES[self.gpu], 6 * LAUNCH_S)

    def with_plain_products(self, permutations, fixed):
        """The law, but for its products."""
        memory = 1e9 * PEAKS[self.gpu][3]
        copies = memory * COPIES[self.gpu]
        return (fixed + self.permuted / (memory * permutations) + self.activated / copies +
                sum(max(compute, moved / copies)
                    for compute, moved in zip(self.peak_s, self.moved)))


def plain_rate(gpu, name, m, n, count):
    """The peak times Roofline::gemm_share()."""
    tiles = math.ceil(m / TILE) * math.ceil(n / TILE) * count
    filled = m * n / (in_tiles(m) * in_tiles(n))
    waves = math.ceil(tiles / SMS[gpu]) * SMS[gpu]
    return PEAKS[gpu][("bf16", "fp8").index(name)] * 1e12 * filled * tiles / waves


def layers(folder, gpu, name):
    products = Products(gpu, name)
    return [Layer(gpu, row, products) for row in read(folder, f"moe_{gpu}.csv.gz")
            if PRECISIONS.get(row["precision"]) == name and row["distribution"] == "balanced"]


def fit(rows):
    """Shares and fixed seconds of the least mean absolute logarithm, coordinate by coordinate."""
    grids = ([i / 100 for i in range(40, 101)], [i / 100 for i in range(10, 101)],
             [i * 1e-6 for i in range(0, 61)])
    best = [0.8, 0.5, 20e-6]

    def error(at):
        return sum(abs(math.log(row.law(*at) / row.seconds)) for row in rows)

    while True:
        before = list(best)
        for axis, grid in enumerate(grids):
            best[axis] = min(grid, key=lambda value: error(
                best[:axis] + [value] + best[axis + 1:]))
        if best == before:
            return best


def errors(rows, predicted):
    """Median of the logarithm's magnitude, and the logarithm's 10th and 90th percentiles."""
    logs = sorted(math.log(predicted(row) / row.seconds) for row in rows)
    return (f"{median(map(abs, logs)):.3f} [{logs[len(logs) // 10]:+.2f}, "
            f"{logs[9 * len(logs) // 10]:+.2f}]")


def show(what, rows, fitted):
    print(f"  {what:24} {len(rows):5}  {errors(rows, lambda row: row.law(*fitted)):22} "
          f"{errors(rows, Layer.plain):22} "
          f"{errors(rows, lambda row: row.with_plain_products(*fitted[1:]))}")


def thinned(folder, gpu):
    """Lines of expert_layers.csv."""
    lines = {}
    for row in read(folder, f"moe_{gpu}.csv.gz"):
        if (row["distribution"] == "balanced" and row["precision"] in PRECISIONS and
                row["ep"] in KEPT_EP and row["etp"] in KEPT_ETP):
            shape = tuple(row[key] for key in SHAPE)
            lines.setdefault(shape, {})[int(row["tokens"])] = float(row["seconds"])
    for shape, seconds in lines.items():
        yield (gpu, PRECISIONS[shape[0]], *shape[1:],
               *(f"{1e6 * seconds[tokens]:.4g}" for tokens in TOKENS))


def write(folder):
    with open(os.path.join(HERE, "expert_layers.csv"), "w", encoding="utf-8") as out:
        out.write("# Microseconds of layers of experts, forward, balanced, by tokens of all ep ranks. Made by\n"
                  "# distill_experts.py from github.com/ai-dynamo/aiconfigurator @095f58a5; README.md.\n")
        out.write(",".join(("gpu", *SHAPE, *(f"t{tokens}" for tokens in TOKENS))) + "\n")
        for gpu in GPUS:
            for line in thinned(folder, gpu):
                out.write(",".join(line) + "\n")


def main():
    folder = sys.argv[1]
    write(folder)
    fits = {}
    for gpu in GPUS:
        rows = layers(folder, gpu, "bf16")
        several = [row for row in rows if row.experts > 1]
        fits[gpu] = fit([row for row in several if row.key in FITTED])
        print(f"{gpu}: products {fits[gpu][0]:.2f}, permutations {fits[gpu][1]:.2f}, "
              f"fixed {1e6 * fits[gpu][2]:.0f} us")
        others = [row for row in several if row.key not in FITTED]
        show("fitted", [row for row in several if row.key in FITTED], fits[gpu])
        show("other shapes", others, fits[gpu])
        for least, most in ((0, 32), (32, 128), (128, 512), (512, 1 << 20)):
            some = [row for row in others if least <= row.rows < most]
            show(f"{least} to {most} rows", some, fits[gpu])
        show("one expert", [row for row in rows if row.experts == 1] or rows, fits[gpu])
        if gpu != "a100":
            show("FP8", [row for row in layers(folder, gpu, "fp8") if row.experts > 1], fits[gpu])
        for other in fits:
            if other != gpu:
                show(f"with the fit of {other}", several, fits[other])


if __name__ == "__main__":
    main()
