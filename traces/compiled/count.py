#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the codecs' compiled kernels: makes sm_80.csv and the others beside it.

    traces/compiled/count.py --nvdisasm FILE --launches FILE [--cubins FOLDER] [--nvcc FILE]
                             [--architectures 80 90 ...] [--all] [--jobs N]
    traces/compiled/count.py --check

It compiles codecs/*/*.cu with the flags of codecs/cuda/CMakeLists.txt into FOLDER, where what was compiled
from the same sources is kept; asks gardenhose-kernel-launches (apps/calibrate/launches) which kernels each
row of a calibration table launches; and follows warps through their machine code (sass.py), or runs it
(grid.py). Rows of the tables at hand whose code and launches did not change (digests.py) are kept; --all
counts every row, which takes a quarter of an hour for each architecture. Architectures are counted side by
side, --jobs at a time (default: as many as there are cores). nvdisasm comes with CUDA, or alone: pip
download nvidia-cuda-nvdisasm.

--check needs neither: it compares the sources with the tables' hash, which leaves out comments and
layout.
"""
import argparse
import csv
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

import digests
import runs
from pipes import PIPES
from program import Program
from sources import FLAGS, ROOT, hash_of_sources, kernel_files, target_of

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHITECTURES = ("80", "89", "90", "100", "120")

KEY = ("codec", "operation", "inputs", "value_bytes", "to")
COLUMNS = KEY + ("kernels", "loops") + PIPES + ("registers", "shared_bytes", "threads",
                                                 "elements_per_block", "other_bytes", "busiest_warp",
                                                 "code")


# Tables

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
    for path in kernel_files():
        output = os.path.join(folder,
                              f"{path[:-3].replace('/', '_')}.{hash_of_sources([path])}.cubin")
        cubins.append(output)
        if os.path.exists(output):
            continue
        subprocess.run([options.nvcc, *FLAGS, f"-arch={target_of(architecture)}", "-cubin", "-I", ROOT,
                        "-o", output + ".part", os.path.join(ROOT, path)], check=True)
        os.replace(output + ".part", output)
    return cubins


def row_of(program, record, blocks):
    """Per element: 32 times a warp's instructions over its elements, of all kernels of the row. `blocks`:
    of its kernels that were run, in their order, by name."""
    row = {name: record[name] for name in KEY}
    totals, loops, other, main = dict.fromkeys(PIPES, 0.0), 0, 0, None
    kernels, turns, busiest = 0, {}, None
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
                "busiest_warp": "" if busiest is None else round(busiest)}
    return row


def rows_of(program, listing, kept=None):
    """Of the lines of gardenhose-kernel-launches. `kept`: rows of a table by their digest and key."""
    records, runs_of, values, contents = [], {}, {}, {}
    for line in listing:
        record = json.loads(line)
        if "values" in record:
            values = {at: bytes.fromhex(content) for at, content in record["values"]}
            contents = {at: digests.digest(content) for at, content in record["values"]}
        elif "run" in record:
            runs_of[key_of(record)] = (record, values, contents)
        elif not record["variant"]:
            records.append(record)
    rows = []
    for record in records:
        run, values, contents = runs_of.get(key_of(record), (None, {}, {}))
        code = digests.of_row(record, run, contents, program.code_of)
        row = (kept or {}).get((code, *map(str, key_of(record))))
        if not row:
            blocks = runs.blocks_of_row(program, run, values) if run else {}
            if run and not run["counts"]:  # run for what it writes alone
                blocks = {}
            row = row_of(program, record, blocks) | {"code": code}
        rows.append(row)
    return rows


def rows_in(path):
    """Of a table, by their digest and key; none where it has no digests."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {(row["code"], *(row[name] for name in KEY)): row for row in rows if "code" in row}


def key_of(record):
    return tuple(record[name] for name in KEY)


def count(architecture, options):
    program = Program(options.nvdisasm, compile_kernels(architecture, options), architecture)
    listing = subprocess.run([options.launches], input=program.parameter_sizes(), check=True,
                             capture_output=True, text=True).stdout
    version = subprocess.run([options.nvcc, "--version"], check=True, capture_output=True,
                             text=True).stdout
    release = re.search(r"V(\d+\.\d+\.\d+)", version).group(1)
    kept = {} if options.all else rows_in(table_of(architecture))
    rows = rows_of(program, listing.splitlines(), kept)
    with open(table_of(architecture) + ".part", "w", encoding="utf-8", newline="") as file:
        file.write(f"# Instructions for each element, nvcc {release}; columns: README.md.\n"
                   f"# sources {hash_of_sources()}\n")
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    os.replace(table_of(architecture) + ".part", table_of(architecture))
    counted = sum(row not in kept.values() for row in rows)
    print(f"sm_{architecture}: {counted} of {len(rows)} rows counted", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true")
    options.add_argument("--nvdisasm")
    options.add_argument("--nvcc", default="nvcc")
    options.add_argument("--launches")
    options.add_argument("--cubins")
    options.add_argument("--architectures", nargs="+", default=ARCHITECTURES)
    options.add_argument("--all", action="store_true")
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options = options.parse_args()
    if options.check:
        return check()
    if not options.nvdisasm or not options.launches:
        print("count.py: --nvdisasm and --launches name the programs that it needs (--help)",
              file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        options.cubins = options.cubins or folder
        with multiprocessing.Pool(options.jobs) as pool:
            pool.starmap(count, [(one, options) for one in options.architectures], chunksize=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
