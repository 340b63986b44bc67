#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a GPU choose the numbers of codecs/cuda/tuning.hpp.

    tests/gpu/tune.py --screen --cmake FOLDER --nvdisasm FILE [--architecture 90] [--objects FOLDER]
                               [--output FILE]
    tests/gpu/tune.py --build FOLDER --cmake FOLDER [--architectures 80 90 ...] [--objects FOLDER]
    tests/gpu/tune.py FOLDER [--programs FOLDER] --output FILE

--screen needs no GPU. It compiles each variant and prints what its kernels take of a multiprocessor, the bytes
of loads that are in flight there, and instructions for each element; encodes and decodes are run
(traces/compiled), and must leave the reference's bytes.
--build compiles a library of each variant into FOLDER, for a machine with a GPU (tests/gpu.sh --build --tune).
--cmake names a build folder for Ninja with CUDA; it needs to be configured only.
With FOLDER alone, the variants are timed on the GPU here, against the defaults, in rounds that each take all
of them in turn. Those that spill more than the default, or write other bytes than it and the library for
CPUs in --programs (default: FOLDER's parent), are left out. It needs a driver, and of Python its standard library.

All: --constants NAME ... takes only these; --jobs N compiles so many at a time.
"""
import argparse
import csv
import ctypes
import datetime
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import tune_device
import tune_space

MANIFEST = "variants.json"
FIELDS = ("constant", "value", "default", "operation", "codec", "inputs", "elements", "median_s", "ratio",
          "ratio_low", "ratio_high", "left_out")
SCREEN_FIELDS = ("constant", "value", "default", "operation", "codec", "inputs", "registers", "spilled_bytes",
                 "resident_warps", "bytes_in_flight", "instructions_per_element", "left_out")
LEAST_GAIN = 0.02  # of times: what is less may be another GPU's loss


def commit():
    done = subprocess.run(["git", "-C", str(tune_space.ROOT), "describe", "--always", "--dirty", "--abbrev=12"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def write(path, head, fields, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for line in head)
        table = csv.writer(file, lineterminator="\n")
        table.writerow(fields)
        table.writerows(rows)


def wanted_of(constants, names):
    """By default all."""
    unknown = set(names) - {one.name for one in constants}
    if unknown:
        raise ValueError(f"--constants: no {', '.join(sorted(unknown))} in {tune_space.HEADER}; it has "
                         + " ".join(one.name for one in constants))
    return [one for one in constants if not names or one.name in names]


def key_fields(variant, operation):
    return (variant.constant.name, variant.value, variant.constant.value, operation.name, operation.codec,
            operation.inputs)


# Without a GPU

def screen(options, constants):
    import tune_screen
    compiler = tune_space.Compiler(options.nvcc, options.objects, [options.architecture], options.jobs)
    linker = tune_space.Linker(options.cmake, "gardenhose-kernel-launches", options.jobs)
    rows = []
    for constant in constants:
        results = tune_screen.screen(constant, options.architecture, compiler, linker, options.nvdisasm)
        print("\n".join(tune_screen.table(results)) + "\n", flush=True)
        rows += [(*key_fields(one.variant, one.operation), one.registers, one.spilled_bytes, one.warps,
                  one.bytes_in_flight, f"{one.instructions:.3f}", one.verdict) for one in results]
    if options.output:
        write(options.output, [f"Variants of kernels, compiled for sm_{options.architecture} at {commit()} on "
                               f"{datetime.date.today()}.", "Made by tests/gpu/tune.py --screen"],
              SCREEN_FIELDS, rows)


def build(options, constants):
    folder = Path(options.build)
    folder.mkdir(parents=True, exist_ok=True)
    compiler = tune_space.Compiler(options.nvcc, options.objects, options.architectures, options.jobs)
    linker = tune_space.Linker(options.cmake, "gardenhose_codecs_cuda", options.jobs)
    manifest = []
    for constant in constants:
        variants = tune_space.variants_of(constant)
        for variant, built in zip(variants, compiler.compile_all(variants)):
            library = f"lib{constant.name}_{variant.value}.so"
            linker.link(built.objects, folder / library)
            spills = {}
            for (_, architecture), size in built.spills.items():
                spills[architecture] = spills.get(architecture, 0) + size
            manifest.append({"constant": constant.name, "value": variant.value, "library": library,
                             "spilled_bytes": spills})
    for left in folder.glob("absent.c"):
        left.unlink()
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    (folder / Path(tune_space.HEADER).name).write_text(
        (tune_space.ROOT / tune_space.HEADER).read_text(encoding="utf-8"), encoding="utf-8")


# With a GPU

def built_constants(folder):
    """Of the header that was built, which is packed with what was built of it."""
    return tune_space.constants_in((folder / Path(tune_space.HEADER).name).read_text(encoding="utf-8"))


def libraries_of(constant, folder, architecture):
    """{Variant: library}, the default's first, and {Variant: why it is left out}."""
    rows = {row["value"]: row for row in json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            if row["constant"] == constant.name}
    compiled = rows.get(constant.value, {}).get("spilled_bytes", {})
    if architecture not in compiled:
        raise ValueError(f"{folder}: {constant.name} was compiled for {' '.join(compiled) or 'no GPU'}, and this "
                         f"one is sm_{architecture}; ARCHITECTURES={architecture} tests/gpu.sh --build --tune")
    libraries, left_out = {}, {}
    for variant in tune_space.variants_of(constant):
        spilled, of_default = (rows[value]["spilled_bytes"][architecture] for value in (variant.value, constant.value))
        if spilled > of_default:
            left_out[variant] = f"spills {spilled - of_default} bytes more"
        else:
            libraries[variant] = ctypes.CDLL(str((folder / rows[variant.value]["library"]).resolve()))
    return libraries, left_out


def chosen(constant, results):
    """(value, mean ratio): of the fastest variant that gains LEAST_GAIN in the geometric mean over operations and
    is slower in none, and of the default otherwise. `results`: [Timed] of all operations."""
    best = (constant.value, 1.0)
    default = {one.operation: one for one in results if one.variant.is_default}
    for variant in tune_space.variants_of(constant)[1:]:
        of_operations = [tune_device.ratios(one, default[one.operation]) for one in results
                         if one.variant == variant]
        if len(of_operations) < len(constant.operations) or None in of_operations:
            continue
        mean = math.exp(sum(math.log(median) for _, median, _ in of_operations) / len(of_operations))
        is_slower = any(low > 1 for low, _, _ in of_operations)
        if mean <= 1 - LEAST_GAIN and mean < best[1] and not is_slower:
            best = (variant.value, mean)
    return best


def rows_of(results):
    """Of the table, for each operation the fastest first."""
    default = {one.operation: one for one in results if one.variant.is_default}
    rows = []
    for one in results:
        low, median, high = tune_device.ratios(one, default[one.operation]) or ("", "", "")
        seconds = sorted(one.seconds)[len(one.seconds) // 2] if one.seconds else ""
        rows.append((*key_fields(one.variant, one.operation), tune_device.ELEMENTS, seconds, median, low, high,
                     one.why_not))
    return sorted(rows, key=lambda row: (row[3:6], row[8] == "", row[8]))


def lines_of(rows):
    for row in rows:
        name, value, default, *operation, _, seconds, median, low, high, why_not = row
        text = f"{name:20} {value:5}{'*' if value == default else ' '} {' '.join(map(str, operation)):32} "
        yield text + (why_not or f"{1e6 * seconds:9.1f} us  {median:.3f}  {low:.3f} to {high:.3f}")


def time_all(options):
    folder = Path(options.folder)
    built = {row["constant"] for row in json.loads((folder / MANIFEST).read_text(encoding="utf-8"))}
    constants = wanted_of([one for one in built_constants(folder) if one.name in built], options.constants)
    gpu = tune_device.Gpu()
    reference_file = Path(options.programs or folder.parent) / "libgardenhose_codecs.so"
    reference = ctypes.CDLL(str(reference_file.resolve())) if reference_file.exists() else None
    if reference is None:
        print(f"tests/gpu/tune.py: no {reference_file}: bytes are compared with the default's alone", file=sys.stderr)
    table, choices = [], []
    for constant in constants:
        libraries, left_out = libraries_of(constant, folder, gpu.architecture)
        results = [tune_device.Timed(variant, operation, (), why) for variant, why in left_out.items()
                   for operation in constant.operations]
        for operation in constant.operations:
            results += tune_device.timed(gpu, libraries, operation, reference)
        rows = rows_of(results)
        print("\n".join(lines_of(rows)), flush=True)
        table += rows
        value, mean = chosen(constant, results)
        choices.append(f"{constant.name} = {value}" + (f", {mean:.3f} of the times with {constant.value}"
                                                       if value != constant.value else ", as it is"))
        print(f"{choices[-1]}\n", flush=True)
    commit_file = Path(options.programs or folder.parent) / "commit"
    built_from = commit_file.read_text(encoding="utf-8").strip() if commit_file.exists() else commit()
    write(options.output, [f"Variants of kernels on {gpu.name} (sm_{gpu.architecture}), built from {built_from}, "
                           f"timed on {datetime.date.today()}.", "Made by tests/gpu/tune.py; choices:", *choices],
          FIELDS, table)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?")
    options.add_argument("--screen", action="store_true")
    options.add_argument("--build")
    options.add_argument("--cmake")
    options.add_argument("--nvdisasm")
    options.add_argument("--nvcc", default="nvcc")
    options.add_argument("--architecture", default="90")
    options.add_argument("--architectures", nargs="+", default=["80", "89", "90", "100", "120"])
    options.add_argument("--objects", default="build/tune-objects")
    options.add_argument("--programs")
    options.add_argument("--constants", nargs="+", default=[])
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--output")
    options = options.parse_args()
    try:
        if options.screen and options.cmake and options.nvdisasm:
            screen(options, wanted_of(tune_space.constants(), options.constants))
        elif options.build and options.cmake:
            build(options, wanted_of(tune_space.constants(), options.constants))
        elif options.folder and options.output and not options.screen:
            time_all(options)
        else:
            raise ValueError("give --screen, --build or a folder, with what --help says each needs")
    except (ValueError, RuntimeError, OSError) as error:
        print(f"tests/gpu/tune.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
