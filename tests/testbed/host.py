#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures this machine for the testbed: its codecs, memory traffic, small messages, and what the kernel's
network takes of the cores, in uncompressed exchanges alone. Writes codecs.json and host_N.toml.

    tests/testbed/host.py --output mine

Takes a minute. Nothing else should run.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import jobs  # noqa: E402
import rows  # noqa: E402
import simulated  # noqa: E402
from options import Options, add_build_flag, ended  # noqa: E402

TEMPLATE = Path(__file__).with_name("host_template.toml")
CODECS = ("bf16", "int8_g512_sr", "int4_minmax_g512_sr", "sign_g2048", "topk64", "sparseloco",  # of steps
          "int8_g128_sr", "int4_g128_sr", "int8_g2048",  # of shards and rounds
          "mxfp4", "nvfp4", "nf4_g128", "terngrad", "eden3_g4096",  # without vector code
          "natural", "nvfp4_sr", "int4_g128_rht128_sr")
RATE, FULL_RATE = 10**9, 10**10  # the latter keeps all cores busy
RULE = {"kind": "step", "rule": {"collective": "ring", "codec": "fp32", "feedback": False}}
CALIBRATE = "gardenhose-calibrate"
SMALL_STEPS, STEPS = 200, 10


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True,
                        help="folder, for --inputs of testbed.py and machines.py; may be a new one")
    add_build_flag(parser)
    given = parser.parse_args()
    if reason := jobs.why_not():
        raise simulated.InputError(reason)
    measure(given.build, given.output)
    return 0


def measure(build, folder):
    """Into a folder, with the models and schemes that jobs name."""
    if not (build / CALIBRATE).is_file():
        raise simulated.InputError(f"--build: {build / CALIBRATE}: no such program; build it")
    if folder.resolve() != simulated.INPUTS:
        shutil.copytree(simulated.INPUTS, folder, dirs_exist_ok=True)
        simulated.INPUTS = folder.resolve()
    print("codecs, a minute ...", file=sys.stderr)
    (folder / "codecs.json").write_text(json.dumps(codec_table(build)).replace(', {', ',\n {') + "\n")
    print("memory traffic, messages and cores ...", file=sys.stderr)
    write(folder, measured(build))


def codec_table(build):
    """With all cores at work, as in the exchanges: medians over a process for each."""
    command = [build / CALIBRATE, "--device", "cpu", "--min-size", "64 KiB", "--max-size", "32 MiB",
               "--codecs", *CODECS]

    def run(_):
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tables = list(pool.map(run, range(os.cpu_count())))
    for row, *others in zip(*(table["codecs"] for table in tables)):
        by_process = [one["median_s"] for one in (row, *others)]
        row["median_s"] = [statistics.median(times) for times in zip(*by_process)]
    tables[0]["provenance"]["source"] += f"; {os.cpu_count()} processes side by side"
    return tables[0]


def measured(build):
    options = Options(build, ranks=2, rate=RATE, model="gpt_3m.toml", steps=STEPS)
    ranks = jobs.run(build, jobs.job_of(options, RULE))
    traffic_s = statistics.median(step["traffic_s"] for rank in ranks for step in rank["steps"])
    charged = simulated.report(build, simulated.step_flags(options, "data_parallel", 0))
    passes_bytes = (charged["optimizer_s"] + charged["other_s"]) * charged_Bps(options)
    busy = jobs.run(build, jobs.job_of(options._replace(rate=FULL_RATE), RULE))
    moving_s = busy[0]["busy_s"] - sum(step["traffic_s"] for rank in busy for step in rank["steps"])
    sent = sum(rank["sent"]["bytes"] for rank in busy)
    two, three = (small_ring_s(build, number) for number in (2, 3))
    latency = (three - two) / 2
    return {"passes_GBps": passes_bytes / traffic_s / 1e9, "core_GBps": sent / moving_s / 1e9,
            "latency_us": 1e6 * latency, "launch_us": 1e6 * max(0, two - 2 * latency)}


def charged_Bps(options):
    """Of the memory of the host's file that is there already."""
    host = tomllib.loads((simulated.INPUTS / options.host_file).read_text())
    return 1e9 * float(host["gpu"]["memory_bandwidth"].removesuffix(" GBps"))


def small_ring_s(build, ranks):
    """Of a few bytes: nothing but starts and messages."""
    elements = 16 * ranks
    place = {"elements": elements, "forward_s": 0, "backward_s": 0}
    job = {"ranks": ranks, "rate_bps": RATE, "delay_s": 0, "steps": SMALL_STEPS, "inner_steps": 1,
           "overlap": False, "places": [place], "buckets": [{"first_place": 0, "begin": 0, "end": elements}]}
    said = jobs.run(build, {**job, **RULE})
    return rows.of_slowest(said, "exposed_s")


def write(folder, values):
    cores = os.cpu_count()
    for ranks in (1, 2, 3, 4):
        share = min(1, cores / ranks)
        text = TEMPLATE.read_text().format(**{
            **values, "ranks": ranks, "cores": cores, "traffic_steps": STEPS, "rate_Mbps": FULL_RATE // 10**6,
            "memory_GBps": values["passes_GBps"] * share, "payload": simulated.PAYLOAD})
        (folder / f"host_{ranks}.toml").write_text(text)


if __name__ == "__main__":
    sys.exit(ended(main))
