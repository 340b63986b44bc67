#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing of sim: do the tests notice when its code changes?

Draws mutations of sim's sources, builds each in a copy of the tree, and runs the tests of its folder
(tests/mutants/folders.py) until one fails: the mutant is killed. Mutants that do not compile do not count. Whatever
has been judged is kept, so a run that was stopped goes on where it was.
"""
import argparse
import collections
import dataclasses
import functools
import hashlib
import itertools
import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import folders  # noqa: E402
from mutations import Mutation, mutations_of  # noqa: E402
from workshop import Workshop, copy_tree  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ("sim_sweep", "sim_validation", "sim_fit")  # of all sources of sim
KILLED, LIVES, INVALID = "killed", "lives", "does not compile"


def draw(seed, lengths, mutations, known=()):
    """Endless, by number, but for known numbers: a file by its lines, a kind of its mutations, one of these."""
    files = sorted(lengths)
    weights = [lengths[file] for file in files]
    for number in itertools.count():
        if number in known:
            continue
        chance = random.Random(f"{seed}/{number}")
        found = mutations(chance.choices(files, weights)[0])
        if found:
            kind = chance.choice(sorted({one.kind for one in found}))
            yield number, chance.choice([one for one in found if one.kind == kind])


class Verdicts:
    """What has been judged: one JSON object a line, of which a mutant's last one holds."""

    def __init__(self, file, sources):
        self.file = file
        self.of = {}
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps({"sources": sources}) + "\n")
        first, *lines = file.read_text().splitlines()
        if json.loads(first)["sources"] != sources:
            raise ValueError(f"{file}: sim has changed since these were drawn; remove it or name another --folder")
        for line in lines:
            record = json.loads(line)
            self.of[Mutation(**record["mutation"])] = record

    def add(self, number, mutation, verdict, by, seconds):
        record = {"number": number, "mutation": dataclasses.asdict(mutation), "verdict": verdict, "by": by,
                  "seconds": round(seconds, 1)}
        self.of[mutation] = record
        with self.file.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def count(self):
        return sum(record["verdict"] != INVALID for record in self.of.values())

    def numbers(self):
        return {record["number"] for record in self.of.values()}

    def living(self):
        return [(record["number"], mutation) for mutation, record in self.of.items() if record["verdict"] == LIVES]


def judge(mutation, tree, tests, build, test):
    """Builds and tests a mutant in `tree`, which is as before afterwards: its verdict, and by what."""
    path = tree / mutation.file
    text = path.read_bytes()
    path.write_bytes(mutation.applied_to(text))
    try:
        for one in tests:
            if not build(one.program):
                return INVALID, ""
            failure = test(one)
            if failure:
                return KILLED, failure
        return LIVES, ""
    finally:
        path.write_bytes(text)


def run(mutations, verdicts, tree, build, test, measure=lambda _tests: None):
    for number, mutation in mutations:
        tests = folders.tests_of(mutation.file)
        for one in tests:
            measure(one)
        started = time.monotonic()
        verdict, by = judge(mutation, tree, tests, build, test)
        verdicts.add(number, mutation, verdict, by, time.monotonic() - started)
        print(f"{verdicts.count()} {mutation}: {verdict}{' by ' + by if by else ''}", flush=True)


def undecided(drawn, verdicts, count):
    """Those drawn that have no verdict, until so many count. What is drawn again counts once."""
    while verdicts.count() < count:
        number, mutation = next(drawn)
        if mutation not in verdicts.of:
            yield number, mutation


def share(title, records):
    killed = sum(record["verdict"] == KILLED for record in records)
    return f"{title:24} {killed:4} of {len(records):4} killed {100 * killed / len(records):4.0f} %"


def report(verdicts):
    """The share killed by folder and by kind, and the mutants that live."""
    counted = {mutation: record for mutation, record in verdicts.of.items() if record["verdict"] != INVALID}
    if not counted:
        return "no mutant has been judged"
    by_folder, by_kind = collections.defaultdict(list), collections.defaultdict(list)
    for mutation, record in counted.items():
        by_folder["/".join(mutation.file.split("/")[:2])].append(record)
        by_kind[mutation.kind].append(record)
    lines = [share(name, records) for groups in (by_folder, by_kind) for name, records in sorted(groups.items())]
    lines += sorted(f"lives: {mutation}" for _, mutation in verdicts.living())
    return "\n".join([*lines, share("all", list(counted.values()))])


def sources_of(tree):
    """The length of each source of sim, and a digest of all."""
    texts = {str(path.relative_to(tree)): path.read_bytes() for path in sorted((tree / "sim").rglob("*.cpp"))}
    digest = hashlib.sha256(b"\0".join(texts.values())).hexdigest()[:16]
    return {file: text.count(b"\n") for file, text in texts.items()}, digest


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=120, help="mutants that compile (120)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (1)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants",
                        help="where the copy, its build and the verdicts are kept (build/mutants)")
    parser.add_argument("--jobs", type=int, default=2, help="processes that build or test at a time (2)")
    parser.add_argument("--linker", default="lld", help="the linker: lld, mold, gold or bfd (lld)")
    parser.add_argument("--below", default="sim", help="only mutants of this folder, as sim/base (sim)")
    parser.add_argument("--again", action="store_true", help="judge those that live again, after tests were added")
    parser.add_argument("--report", action="store_true", help="only print what has been judged")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    folder = options.folder.resolve()
    tree = folder / "tree"
    copy_tree(ROOT, tree)
    lengths, digest = sources_of(tree)
    where = "" if options.below == "sim" else "_" + options.below.rstrip("/").replace("/", "_")
    verdicts = Verdicts(folder / f"seed_{options.seed}{where}.jsonl", digest)
    if not options.report:
        workshop = Workshop(folder, options.jobs, options.linker)
        workshop.configure()
        if not workshop.build(*LIBRARIES):  # mutations are found in sources with their precompiled headers
            raise ValueError(f"sim does not compile without a mutant:\n{workshop.said}")
        compiler = workshop.compiler_arguments()
        below = {file: length for file, length in lengths.items()
                 if file.startswith(options.below.rstrip("/") + "/") and file in compiler}
        found = functools.cache(lambda file: mutations_of(file, tree / file, compiler[file]))
        drawn = draw(options.seed, below, found, verdicts.numbers())
        mutations = verdicts.living() if options.again else undecided(drawn, verdicts, options.count)
        run(mutations, verdicts, tree, workshop.build, workshop.test, workshop.measure)
    print(report(verdicts))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ValueError as error:
        sys.exit(f"mutants.py: {error}")
