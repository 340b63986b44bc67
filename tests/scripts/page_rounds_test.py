#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the rounds between sites of README and docs with a program that was built under sanitizers: none
finds a fault. Searches over many rounds, which `plan` and `solve` make, would take a sanitizer too long.
What the commands print is compared by the release build's tests.

Each simulates in one thread (`--jobs 1`): the address sanitizer's allocator spins on a lock that another
thread held while a simulation was forked, for ever.

Usage: page_rounds_test.py PROGRAM

The program is `gardenhose run` alone (tests/run_alone.cpp).
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/golden"))
sys.dont_write_bytecode = True

from page_cases import page_cases  # noqa: E402

FEWEST = 15  # fewer are no longer found rather than no longer there
AREAS = {path.stem for path in (ROOT / "topologies/wide_area").glob("*.toml")}


def has_sites(arguments, files):
    own = {name for name, text in files.items() if re.search(r"^\[\[?sites\b", text, re.MULTILINE)}
    return any(word in AREAS | own for words in arguments for word in re.split(r"[\s,=]", words))


def unwritten(arguments, files):
    """A file that the page has a command write: here there is none."""
    named = {word for words in arguments for word in re.split(r"[\s,=]", words)
             if word.endswith(".toml")}
    return named - files.keys()


def problem_of(program, case):
    """What went wrong, or an empty text."""
    name, arguments, files = case
    with tempfile.TemporaryDirectory(prefix="gardenhose-rounds-") as scratch:
        for file, text in files.items():
            path = Path(scratch, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([program, *arguments[1:], "--jobs", "1"], cwd=scratch, capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return ""
    return f"{name}: exit code {done.returncode}: gardenhose {' '.join(arguments)}\n{done.stderr}"


def main():
    program = Path(sys.argv[1]).resolve()
    cases = [case for case in page_cases()
             if case[1][0] == "run" and has_sites(*case[1:]) and not unwritten(*case[1:])]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = list(filter(None, pool.map(lambda case: problem_of(program, case), cases)))
    print(f"{len(cases)} commands with rounds, {len(problems)} with problems")
    if len(cases) < FEWEST:
        problems.append(f"fewer than {FEWEST} commands were found")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
