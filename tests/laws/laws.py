#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Laws over random jobs on shipped clusters and on random files of sites: better hardware is not slower, and
the ranks, sites, steps and pairs that stand for many give their time.

    tests/laws/laws.py [--steps 600] [--sites 300] [--first 0] [--build build/release]

Each job is run as it is, with one figure of its hardware better, with --step-by-step (jobs of one cluster) and
with --whole. Prints a CSV row for each law of each job, a summary on standard error, and exits with 1 where a
law is broken: by any job, or, as for "better is not slower", by more of them, or by more, than LAWS says.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "golden")]
sys.dont_write_bytecode = True

import random_sites  # noqa: E402
from random_cases import cluster_case, rows, sites_case  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Law:
    """How much longer another answer may be, of all jobs but a share of them, and at most."""

    name: str
    beyond: float
    both_ways: bool = True  # nor shorter
    share: float = 0
    at_most: float = 0


# Links are shared fairly and kernels start in order, as in NCCL and on a GPU. What is faster then sometimes
# comes in another's way: two messages that met nowhere meet, and the one that all wait for takes twice as long.
BETTER = Law("better is not slower", beyond=0.01, both_ways=False, share=0.01, at_most=0.1)
STEPS = Law("folded is step by step", beyond=0.02)
WHOLE = Law("one for all that are alike is all", beyond=0.01)
LAWS = (BETTER, STEPS, WHOLE)

SECONDS = 120  # of one command; step by step, some would take hours
DRAWS = 100  # until a job can run
LEAST_COMPARED = 0.8  # of the jobs: what is refused or takes too long is left out
# Keys of a cluster, larger or smaller of which is better.
LARGER = (("gpu.memory_bandwidth",), ("gpu.bf16", "gpu.fp8", "gpu.fp32"), ("nvlink.bandwidth",),
          ("network.nic_bandwidth",))
SMALLER = (("gpu.launch_latency",), ("network.switch_latency",))


@dataclasses.dataclass(frozen=True)
class Outcome:
    law: Law
    seconds: float
    other_s: float
    command: str

    @property
    def difference(self):
        return self.other_s / self.seconds - 1

    @property
    def beyond(self):
        return (abs(self.difference) if self.law.both_ways else self.difference) > self.law.beyond


class Laws:
    def __init__(self, program):
        self.program = program
        self.known = {key: part for section in ("topologies", "sites", "schemes")
                      for key, part in rows(program, section).items()}
        self.clusters = {}

    def seconds(self, arguments):
        """Of a step or a round; None where it is refused, does not end, or takes too long to simulate."""
        try:
            done = subprocess.run([self.program, *arguments, "--range", "off", "--format", "json"],
                                  capture_output=True, text=True, check=False, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode == 2:
            return None
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode}: {shlex.join(arguments)}\n{done.stderr}")
        report = json.loads(done.stdout)
        report = report[-1] if isinstance(report, list) else report
        return report.get("round_time_s", report["step_time_s"])

    def cluster(self, name):
        if name not in self.clusters:
            text = subprocess.run([self.program, "list", "topology", name], check=True, capture_output=True,
                                  text=True).stdout
            self.clusters[name] = tomllib.loads(text)
        return self.clusters[name]

    def better(self, draw, arguments):
        """--set of one or some figures of the job's cluster, better."""
        cluster = self.cluster(arguments[arguments.index("--topology") + 1])
        given = dict(one.split("=", 1) for flag, one in zip(arguments, arguments[1:]) if flag == "--set")
        factor = draw.choice((2, 4))
        keys = draw.choice(LARGER + SMALLER)
        factor = factor if keys in LARGER else 1 / factor
        changes = []
        for key in keys:
            table, name = key.split(".")
            value = given.get(key, cluster[table].get(name))
            if value is None or value == "none":
                continue
            number, unit = re.fullmatch(r"([-+.\de]+) ?(.*)", str(value)).groups()
            changes += ["--set", f"{key}={float(number) * factor:g} {unit}".strip()]
        return changes

    def of_step(self, number):
        draw = random.Random(f"step {number}")
        for _ in range(DRAWS):
            arguments = [one for one in cluster_case(draw, self.known) if one != "--step-by-step"]
            drop_pair(arguments, "--baseline")
            better = self.better(draw, arguments)
            if better and (seconds := self.seconds(arguments)):
                break
        else:
            return []
        others = ((BETTER, [*arguments, *better]), (STEPS, [*arguments, "--step-by-step"]),
                  (WHOLE, [*arguments, "--whole"]))
        return [Outcome(law, seconds, other_s, shlex.join(changed))
                for law, changed in others if (other_s := self.seconds(changed))]

    def of_sites(self, number):
        draw = random.Random(f"sites {number}")
        with tempfile.TemporaryDirectory(prefix="gardenhose-laws-") as folder:
            before, after = Path(folder, "before.toml"), Path(folder, "after.toml")
            for _ in range(DRAWS):
                tables = random_sites.random_sites(draw)
                what, changed = random_sites.better_sites(draw, tables)
                before.write_text(random_sites.file_of(tables))
                after.write_text(random_sites.file_of(changed))
                arguments = sites_case(draw, self.known)
                arguments[arguments.index("--topology") + 1] = str(before)
                if seconds := self.seconds(arguments):
                    break
            else:
                return []
            better = [str(after) if one == str(before) else one for one in arguments]
            others = ((BETTER, better, f" and {what}"), (WHOLE, [*arguments, "--whole"], ""))
            shown = f"{shlex.join(arguments)} with {before.read_text()}"
            return [Outcome(law, seconds, other_s, shown + change)
                    for law, changed, change in others if (other_s := self.seconds(changed))]


def drop_pair(arguments, flag):
    if flag in arguments:
        at = arguments.index(flag)
        del arguments[at:at + 2]


def main():
    flags = argparse.ArgumentParser(description="Checks laws over random jobs; see the script's top.")
    flags.add_argument("--steps", type=int, default=600, help="random steps (default: 600)")
    flags.add_argument("--sites", type=int, default=300, help="random files of sites (default: 300)")
    flags.add_argument("--first", type=int, default=0, help="number of the first of each (default: 0)")
    flags.add_argument("--build", type=Path, default=ROOT / "build" / "release",
                       help="folder of the program (default: build/release)")
    given = flags.parse_args()
    laws = Laws(given.build.resolve() / "gardenhose")
    jobs = [(laws.of_step, number) for number in range(given.first, given.first + given.steps)]
    jobs += [(laws.of_sites, number) for number in range(given.first, given.first + given.sites)]
    table = csv.writer(sys.stdout)
    table.writerow(("number", "law", "seconds", "other_s", "difference", "beyond", "command"))
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, ((_, number), of_job) in enumerate(zip(jobs, pool.map(lambda job: job[0](job[1]), jobs)), 1):
            for one in of_job:
                table.writerow((number, one.law.name, f"{one.seconds:.9g}", f"{one.other_s:.9g}",
                                f"{one.difference:+.3g}", int(one.beyond), one.command))
            outcomes += of_job
            if sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)} jobs", end="\r", file=sys.stderr)
    compared = {BETTER: len(jobs), STEPS: given.steps, WHOLE: len(jobs)}
    return 0 if all([holds(law, outcomes, compared[law]) for law in LAWS]) else 1


def holds(law, outcomes, jobs):
    of_law = [one for one in outcomes if one.law is law]
    beyond = [one for one in of_law if one.beyond]
    worst = max((abs(one.difference) for one in beyond), default=0)
    few = len(of_law) < LEAST_COMPARED * jobs
    held = not few and len(beyond) <= law.share * len(of_law) and worst <= max(law.at_most, law.beyond)
    print(f"{law.name}: {len(of_law)} compared, {len(beyond)} beyond {law.beyond:.0%}, the worst by {worst:.1%}"
          f"{'' if held else ': BROKEN'}", file=sys.stderr)
    for one in [] if held else beyond:
        print(f"  {one.difference:+.1%}: {one.command}", file=sys.stderr)
    return held


if __name__ == "__main__":
    sys.exit(main())
