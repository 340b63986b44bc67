#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the codecs' compiled kernels: makes sm_80.csv and the others beside it.

    traces/compiled/count.py --nvdisasm FILE --launches FILE [--cubins FOLDER] [--nvcc FILE]
                             [--architectures 80 90 ...]
    traces/compiled/count.py --check

It compiles codecs/*/*.cu with the flags of codecs/cuda/CMakeLists.txt into FOLDER, where what is there
already is kept; asks gardenhose-kernel-launches (apps/calibrate/launches) which kernels each row of a
calibration table launches; and follows warps through their machine code (sass.py), or runs it (grid.py).
nvdisasm comes with CUDA, or alone: pip download nvidia-cuda-nvdisasm. It takes a quarter of an hour for
each architecture.

--check needs neither: it compares the sources with the tables' hash, which leaves out comments and
layout.
"""
import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

import cubin
import instructions
import runs
import sass
import thread
from pipes import PIPES, pipe_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ARCHITECTURES = ("80", "89", "90", "100", "120")
# What nvcc compiles for: codecs/cuda/architectures.cmake says why.
TARGETS = {"100": "100f", "120": "120f"}
FLAGS = ("-std=c++20", "-O3", "-fmad=false", "-ftz=false", "-prec-div=true")

# Lanes whose ways are followed: what a warp issues is what any of them does. Others do as these.
LANES = (0, 1, 2, 3, 8, 16, 17, 31)

# Where the variables of the files begin in memory: far from what is allocated.
VARIABLES = 1 << 40

KEY = ("codec", "operation", "inputs", "value_bytes", "to")
COLUMNS = KEY + ("kernels", "loops") + PIPES + ("registers", "shared_bytes", "threads",
                                                 "elements_per_block", "other_bytes", "busiest_warp")


# Sources

def sources():
    """The kernels' files and the headers of this repository that they include, in order."""
    found, waiting = set(), []
    for folder, _, names in os.walk(os.path.join(ROOT, "codecs")):
        waiting += [os.path.relpath(os.path.join(folder, name), ROOT)
                    for name in names if name.endswith(".cu")]
    while waiting:
        path = waiting.pop()
        if path in found or not os.path.exists(os.path.join(ROOT, path)):
            continue
        found.add(path)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            waiting += re.findall(r'^#include "([^"]+)"', file.read(), re.MULTILINE)
    return sorted(found)


def hash_of_sources():
    """Of their tokens: neither comments nor layout change what is compiled."""
    sums = hashlib.sha256(" ".join(FLAGS + tuple(TARGETS.values())).encode())
    for path in sources():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", file.read(), flags=re.DOTALL)
        sums.update("\0".join([path] + text.split()).encode())
    return sums.hexdigest()[:16]


def table_of(architecture):
    return os.path.join(HERE, f"sm_{architecture}.csv")


def hash_in(path):
    with open(path, encoding="utf-8") as file:
        match = re.search(r"^# sources ([0-9a-f]+)", file.read(2000), re.MULTILINE)
    return match.group(1) if match else "none"


def check():
    now, stale = hash_of_sources(), 0
    for name in sorted(os.listdir(HERE)):
        if re.match(r"sm_\d+\.csv$", name) and hash_in(os.path.join(HERE, name)) != now:
            print(f"traces/compiled/{name}:2:1: made of other sources ({hash_in(os.path.join(HERE, name))}, "
                  f"now {now}); make it anew with traces/compiled/count.py (--help)", file=sys.stderr)
            stale += 1
    return 2 if stale else 0


# Counting

def compile_kernels(architecture, options):
    folder = os.path.join(options.cubins, f"sm_{architecture}")
    os.makedirs(folder, exist_ok=True)
    cubins = []
    for path in sources():
        if not path.endswith(".cu"):
            continue
        output = os.path.join(folder, path[:-3].replace("/", "_") + ".cubin")
        cubins.append(output)
        if os.path.exists(output):
            continue
        subprocess.run([options.nvcc, *FLAGS, f"-arch=sm_{TARGETS.get(architecture, architecture)}", "-cubin", "-I", ROOT, "-o",
                        output + ".part", os.path.join(ROOT, path)], check=True)
        os.replace(output + ".part", output)
    return cubins


class Program:
    """All kernels of one architecture."""

    def __init__(self, nvdisasm, cubins, architecture):
        self.architecture = int(architecture)
        self.facts, self.code, self.ways, self.files = {}, {}, {}, {}
        for i, path in enumerate(cubins):
            file = cubin.Cubin(path, VARIABLES + (i << 24))
            for name, facts in file.kernels.items():
                self.facts[cubin.without_hashes(name)] = facts
                self.files[cubin.without_hashes(name)] = file
            for name, code in instructions.read_kernels(nvdisasm, path).items():
                self.code[cubin.without_hashes(name)] = code

    def parameter_sizes(self):
        return "".join(
            " ".join([name] + [str(facts["parameters"][i][1])
                               for i in range(len(facts["parameters"]))]) + "\n"
            for name, facts in self.facts.items())

    def constants(self, launch):
        """The constant bank as a kernel sees it: the shape of the launch, and its parameters."""
        facts, bank = self.facts[launch["kernel"]], bytearray(1 << 13)
        for i, value in enumerate(launch["parameters"]):
            at = facts["bank"] + facts["parameters"][i][0]
            bank[at:at + len(value) // 2] = bytes.fromhex(value)
        # Blackwell has the shape where 90 and older have theirs, 0x360 further.
        start = 0x360 if self.architecture >= 100 else 0
        gap = 0x10 if self.architecture >= 100 else 0xC
        shape = {start: launch["threads"], start + 4: 1, start + 8: 1,
                 start + gap: launch["blocks"], start + gap + 4: 1, start + gap + 8: 1}

        def read(at):
            if at >= facts["bank"]:
                return int.from_bytes(bank[at:at + 4], "little")
            return shape.get(at)
        return read

    def warp(self, launch, warp):
        """How often a warp of a block amid the grid issues each instruction; loops without a known end,
        lookups."""
        name = launch["kernel"]
        code, constants = self.code[name], self.constants(launch)
        if name not in self.ways:
            self.ways[name] = sass.longest_ways(code)
        counts, loops, lookups = [0] * len(code), set(), set()
        for lane in LANES:
            place = {"SR_TID.X": 32 * warp + lane, "SR_CTAID.X": launch["blocks"] // 2,
                     "SR_LANEID": lane}
            for rest in ("SR_TID.Y", "SR_TID.Z", "SR_CTAID.Y", "SR_CTAID.Z"):
                place[rest] = 0
            found, met, loads = sass.follow(code, self.ways[name], thread.Thread(place, constants))
            counts = list(map(max, counts, found))
            lookups |= loads
            loops |= {at for at in met if found[at] > 1 or (code[at].target or at) < at}
        return counts, loops, lookups

    def count(self, launch, run):
        """Instructions of a block by pipe, of its busiest warp, and the number of those loops. `run`: a Block
        of the same kernel with few elements, or None. It stands for kernels of several blocks; for those of one,
        which may do more with more elements, only where they loop as their data says."""
        if run and launch["blocks"] > 1:
            return run.pipes, run.busiest, 0
        warps = -(-launch["threads"] // 32)
        sampled = sorted({0, warps // 2, warps - 1})
        pipes, busiest, loops = dict.fromkeys(PIPES, 0.0), 0, set()
        for warp in sampled:
            counts, endless, lookups = self.warp(launch, warp)
            if run and endless:
                return run.pipes, run.busiest, 0
            loops |= endless
            busiest = max(busiest, sum(counts))
            for at, count in enumerate(counts):
                if count:
                    pipe = "lookup" if at in lookups else pipe_of(self.code[launch["kernel"]][at])
                    pipes[pipe] += count * warps / len(sampled)
        return pipes, busiest, len(loops)


def row_of(program, record, blocks):
    """Per element: 32 times a warp's instructions over its elements, of all kernels of the row. `blocks`:
    of its kernels that were run, in their order, by name."""
    row = {name: record[name] for name in KEY}
    totals, loops, other, main = dict.fromkeys(PIPES, 0.0), 0, 0, None
    kernels, turns, busiest = 0, {}, 0
    for launch in record["launches"]:
        kernels += 1
        if "bytes" in launch:
            other += launch["bytes"] * (2 if launch["kernel"] == "copy" else 1)
            continue
        name = launch["kernel"]
        turns[name] = turns.get(name, -1) + 1
        ran = blocks.get(name, [None])
        pipes, of_warp, endless = program.count(launch, ran[min(turns[name], len(ran) - 1)])
        loops += endless
        for pipe, count in pipes.items():
            totals[pipe] += 32 * count * launch["blocks"] / record["elements"]
        if main is None or launch["blocks"] * launch["threads"] >= main["blocks"] * main["threads"]:
            main, busiest = launch, of_warp
    row |= {"kernels": kernels, "loops": loops, "other_bytes": round(other / record["elements"], 3)}
    row |= {pipe: f"{total:.3f}".rstrip("0").rstrip(".") for pipe, total in totals.items()}
    if main:
        facts = program.facts[main["kernel"]]
        row |= {"registers": facts["registers"], "shared_bytes": facts["shared"],
                "threads": main["threads"],
                "elements_per_block": round(record["elements"] / main["blocks"]),
                "busiest_warp": round(busiest)}
    return row


def rows_of(program, listing):
    """Of the lines of gardenhose-kernel-launches."""
    rows, blocks, values = [], {}, {}
    for line in listing:
        record = json.loads(line)
        if "values" in record:
            values = {at: bytes.fromhex(content) for at, content in record["values"]}
        elif "run" in record:
            blocks[key_of(record)] = runs.blocks_of_row(program, record, values)
        elif not record["variant"]:
            rows.append(record)
    return [row_of(program, record, blocks.get(key_of(record), {})) for record in rows]


def key_of(record):
    return tuple(record[name] for name in KEY)


def count(architecture, options):
    program = Program(options.nvdisasm, compile_kernels(architecture, options), architecture)
    listing = subprocess.run([options.launches], input=program.parameter_sizes(), check=True,
                             capture_output=True, text=True).stdout
    version = subprocess.run([options.nvcc, "--version"], check=True, capture_output=True,
                             text=True).stdout
    release = re.search(r"V(\d+\.\d+\.\d+)", version).group(1)
    with open(table_of(architecture) + ".part", "w", encoding="utf-8", newline="") as file:
        file.write(f"# Instructions for each element, nvcc {release}; columns: README.md.\n"
                   f"# sources {hash_of_sources()}\n")
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows_of(program, listing.splitlines()))
    os.replace(table_of(architecture) + ".part", table_of(architecture))


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true")
    options.add_argument("--nvdisasm")
    options.add_argument("--nvcc", default="nvcc")
    options.add_argument("--launches")
    options.add_argument("--cubins")
    options.add_argument("--architectures", nargs="+", default=ARCHITECTURES)
    options = options.parse_args()
    if options.check:
        return check()
    if not options.nvdisasm or not options.launches:
        print("count.py: --nvdisasm and --launches name the programs that it needs (--help)",
              file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        options.cubins = options.cubins or folder
        for architecture in options.architectures:
            count(architecture, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
