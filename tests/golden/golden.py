#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that a change of structure changed no prediction: records the JSON of many commands before
it, and compares after each step.

    tests/golden/golden.py record FOLDER [--build build/release] [--random 300] [--refusals]
    tests/golden/golden.py compare FOLDER [--build build/release]

Recorded are the published tables (validate), the commands that README and docs show, random
configurations of clusters and sites (as JSON and as tables for people), and bad values for every key of the input files. Refusals are
recorded with their messages; with --refusals, bad values are all that is recorded. FOLDER belongs
to one machine and is not committed: the laws of the tests say what is right, these outputs only
whether it moved.

compare takes numbers as equal within 1e-12 of the larger one, everything else only if it is the
same, prints each difference with its place in the JSON, and exits with 1 if there is any.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bad_inputs import bad_input_cases
from page_cases import page_cases
from random_cases import random_outputs

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ("sdp4bit", "fsdp", "zeropp", "host", "streaming-diloco", "sparseloco", "nccl", "blind", "pairs",
           "goodput", "two-nodes", "opendiloco", "intellect-1", "kernels", "compiled")
AS_JSON = ["--format", "json"]
TOLERANCE = 1e-12
SHOWN = 5  # differences of one case


@dataclasses.dataclass
class Case:
    """A command of gardenhose, in a folder that has the files."""

    name: str
    arguments: list[str]
    files: dict[str, str] = dataclasses.field(default_factory=dict)  # by relative path


def output_of(case: Case, program: Path) -> dict:
    """What the command gave: exit code, and its JSON, its lines or, where it was refused, its message."""
    with tempfile.TemporaryDirectory(prefix="gardenhose-golden-") as scratch:
        for name, text in case.files.items():
            path = Path(scratch, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([program, *case.arguments], cwd=scratch, capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0 and not done.stdout:
        return {"exit": done.returncode, "message": done.stderr.strip()}
    if case.arguments[-2:] == AS_JSON:
        return {"exit": done.returncode, "json": json.loads(done.stdout)}
    return {"exit": done.returncode, "lines": done.stdout.splitlines()}


def outputs_of(cases: list[Case], program: Path) -> list[dict]:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: output_of(case, program), cases))


def differences(before: object, now: object, place: str = "") -> list[str]:
    """One line for each place where the two differ."""
    numbers = (int, float)
    if isinstance(before, dict) and isinstance(now, dict):
        return [line for key in sorted(before.keys() | now.keys())
                for line in differences(before.get(key, "absent"), now.get(key, "absent"),
                                        f"{place}.{key}")]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [line for number, (old, new) in enumerate(zip(before, now))
                for line in differences(old, new, f"{place}[{number}]")]
    if (isinstance(before, numbers) and isinstance(now, numbers)
            and not isinstance(before, bool) and not isinstance(now, bool)):
        same = abs(before - now) <= TOLERANCE * max(abs(before), abs(now))
    else:
        same = type(before) is type(now) and before == now
    return [] if same else [f"{place}: {shortened(before)} -> {shortened(now)}"]


def shortened(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else text[:200] + "..."


def record(folder: Path, program: Path, wanted: int, refusals: bool) -> int:
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"golden.py: {folder} is not empty; compare with it, or record elsewhere")
    cases = [Case(*case) for case in bad_input_cases(program)]
    if not refusals:
        cases += [Case(f"validate {study}", ["validate", study, "--format", "json"])
                  for study in STUDIES]
        cases += [Case(*case) for case in page_cases()]
    outputs = outputs_of(cases, program)
    drawn = random_outputs(program, 0 if refusals else wanted,
                           lambda arguments: output_of(Case("random", arguments), program))
    for number, (arguments, output) in enumerate(drawn, 1):
        cases.append(Case(f"random {number}", arguments))
        outputs.append(output)
    # The table for people of each that ran.
    tables = [Case(f"table {number}", arguments[:-len(AS_JSON)])
              for number, (arguments, output) in enumerate(drawn, 1) if output["exit"] == 0]
    cases += tables
    outputs += outputs_of(tables, program)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "golden.jsonl", "w", encoding="utf-8") as file:
        for case, output in zip(cases, outputs):
            file.write(json.dumps({"case": dataclasses.asdict(case), "output": output}) + "\n")
    ran = sum(output["exit"] == 0 for output in outputs)
    print(f"{folder}: {len(cases)} commands, {len(cases) - ran} of them refused")
    return 0


def compare(folder: Path, program: Path) -> int:
    try:
        lines = (folder / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        sys.exit(f"golden.py: {error.filename}: {error.strerror}; record it first")
    recorded = [json.loads(line) for line in lines]
    cases = [Case(**one["case"]) for one in recorded]
    changed = 0
    for one, case, output in zip(recorded, cases, outputs_of(cases, program)):
        found = differences(one["output"], output)
        if not found:
            continue
        changed += 1
        print(f"{case.name}: gardenhose {' '.join(case.arguments)}")
        print(*(f"  {line}" for line in found[:SHOWN]), sep="\n")
        if len(found) > SHOWN:
            print(f"  and {len(found) - SHOWN} more")
    print(f"{len(cases)} commands, {changed} changed")
    return 1 if changed else 0


def main() -> int:
    flags = argparse.ArgumentParser(description="Records outputs and compares with them; see the "
                                                "script's top.")
    flags.add_argument("action", choices=("record", "compare"))
    flags.add_argument("folder", type=Path)
    flags.add_argument("--build", type=Path, default=ROOT / "build" / "release",
                       help="folder of the program (default: build/release)")
    flags.add_argument("--random", type=int, default=300,
                       help="random configurations to record, refused ones not counted "
                            "(default: 300)")
    flags.add_argument("--refusals", action="store_true", help="record bad input alone")
    given = flags.parse_args()
    program = given.build.resolve() / "gardenhose"
    if not program.is_file():
        sys.exit(f"golden.py: {given.build} has no gardenhose; build it, or give --build")
    if given.action == "record":
        return record(given.folder, program, given.random, given.refusals)
    return compare(given.folder, program)


if __name__ == "__main__":
    sys.exit(main())
