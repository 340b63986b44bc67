#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How much longer codecs take until all of several processes are through with them, beside the law of the
simulator: processes over cores. Nothing else should run.

    tests/testbed/side_by_side.py
"""
import argparse
import csv
import multiprocessing
import os
import statistics
import sys
import time

import numpy as np

sys.dont_write_bytecode = True
from options import add_build_flag, ended  # noqa: E402

CODECS = ("int8_g512_sr", "int4_minmax_g512_sr", "sign_g2048", "sparseloco", "mxfp4")
ELEMENTS, SECONDS, REPETITIONS = 2**20, 0.2, 5  # alone, each repetition takes about so long


class There:
    """A tensor there and back, many times."""

    def __init__(self, codec):
        self._codec = codec
        self._values = np.random.default_rng(0).standard_normal(ELEMENTS, dtype=np.float32)
        self._wire, self._decoded = gc.encode(codec, self._values), np.empty_like(self._values)

    def and_back(self, times):
        for _ in range(times):
            gc.encode(self._codec, self._values, out=self._wire)
            gc.decode(self._codec, self._wire, out=self._decoded)


def times_of(codec):
    there = There(codec)
    there.and_back(2)
    begun = time.perf_counter()
    there.and_back(4)
    return round(4 * SECONDS / (time.perf_counter() - begun)) + 1


def work(barrier, codec, times, ended):
    there = There(codec)
    for _ in range(REPETITIONS):
        barrier.wait()
        there.and_back(times)
        ended.put(time.perf_counter())


def seconds(codec, times, processes):
    """Until the last is through, median over the repetitions."""
    barrier, ended = multiprocessing.Barrier(processes + 1), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(barrier, codec, times, ended)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    took = []
    for _ in range(REPETITIONS):
        barrier.wait()
        begun = time.perf_counter()
        took.append(max(ended.get() for _ in workers) - begun)
    for worker in workers:
        worker.join()
    return statistics.median(took)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_build_flag(parser)
    sys.path.insert(0, str(parser.parse_args().build / "python"))
    global gc
    import gardenhose_codecs as gc
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["codec", "processes", "law", "measured"])
    for codec in CODECS:
        times = times_of(codec)
        alone = seconds(codec, times, 1)
        for processes in (2, 4):
            law = max(1, processes / os.cpu_count())
            table.writerow([codec, processes, f"{law:.2f}", f"{seconds(codec, times, processes) / alone:.2f}"])


if __name__ == "__main__":
    sys.exit(ended(main))
