#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs data-parallel jobs with the codecs of Gardenhose in processes of this machine, over lines whose rate
the kernel limits, and compares the bytes that the kernel counted with those that the simulator charges. The
scheme says whether a job takes plain or sharded steps, or rounds between sites.

    tests/testbed/testbed.py --ranks 4 --rate 200Mbps --schemes data_parallel,int8_all_reduce,top_k

Needs no root: processes, network and devices are in namespaces of their own, and end with this process.
Needs NumPy, iproute2, and a build of gardenhose and gardenhose_codecs. Exits with 77 where namespaces,
bridges or `tc tbf` cannot be made, and with 1 if bytes differ by more than 1 %.
"""
import argparse
import csv
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

sys.dont_write_bytecode = True
import layers  # noqa: E402
import rows  # noqa: E402
import scheme_rules  # noqa: E402
import simulated  # noqa: E402

HERE = Path(__file__).resolve().parent
ALL = ("data_parallel", str(HERE / "bf16_all_reduce.toml"), "int8_all_reduce", "int4_all_reduce",
       "ef_sign", "top_k", str(HERE / "sparseloco_gradients.toml"))
NEW_NAMESPACES = ["unshare", "--map-root-user", "--net", "--pid", "--fork"]
PROBE = ("ip link add bridge type bridge && ip link add line type veth peer name eth0 && "
         "tc qdisc add dev line root tbf rate 1mbit burst 32k limit 1m")
TOLERANCE = 0.01
CANNOT = 77  # which ctest shows as skipped


def main():
    options = parse()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if reason := why_not():
        print(f"testbed: skipped: shaped lines between namespaces cannot be made here: {reason}",
              file=sys.stderr)
        return CANNOT
    if options.probe:
        return 0
    try:
        return 0 if compare(options) else 1
    except simulated.InputError as error:
        print(error, file=sys.stderr)
        return 2


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, choices=(2, 3, 4), default=2, help="default: 2")
    parser.add_argument("--rate", type=rate, default=rate("500Mbps"),
                        help="of each line and direction, in kbps, Mbps or Gbps; default: 500Mbps")
    parser.add_argument("--burst-kib", type=int, default=64, metavar="KIB",
                        help="what a line lets through at once; default: 64")
    parser.add_argument("--delay-ms", type=int, default=0, metavar="MS",
                        help="from each rank to each other; up to some hundreds of Mb/s; default: 0")
    parser.add_argument("--schemes", type=lambda names: names.split(","), default=list(ALL),
                        help="names and files, separated by commas; default: one for each codec")
    parser.add_argument("--bucket-mib", type=int, metavar="MIB",
                        help="overlap exchange and computing, in buckets; default: no overlap")
    parser.add_argument("--steps", type=int, default=3,
                        help="steps, or rounds between sites, that are counted; default: 3")
    parser.add_argument("--inner-steps", type=int, default=4, metavar="N",
                        help="steps of a round between sites; default: 4")
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/release",
                        help="default: build/release")
    parser.add_argument("--probe", action="store_true", help="only say whether the testbed can run here")
    options = parser.parse_args()
    for flag, least in (("burst_kib", 1), ("bucket_mib", 1), ("steps", 1), ("inner_steps", 1),
                        ("delay_ms", 0)):
        value = getattr(options, flag)
        if value is not None and value < least:
            parser.error(f"--{flag.replace('_', '-')}: {value} is less than {least}")
    return options


def rate(text):
    """Bits per second."""
    match = re.fullmatch(r"([1-9]\d*)([kMG])bps", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a rate; write e.g. 500Mbps")
    return int(match[1]) * {"k": 10**3, "M": 10**6, "G": 10**9}[match[2]]


def why_not():
    """Why this machine cannot make the namespaces and lines; empty if it can."""
    for tool in ("unshare", "ip", "tc"):
        if shutil.which(tool) is None:
            return f"{tool} is missing; install util-linux and iproute2"
    if importlib.util.find_spec("numpy") is None:
        return "NumPy is missing; install python3-numpy"
    done = subprocess.run([*NEW_NAMESPACES, "sh", "-c", PROBE], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.stderr.strip().replace("\n", "; ") if done.returncode else ""


def compare(options):
    """Prints a row for each scheme; whether all bytes agree."""
    plain = simulated.step(options, "data_parallel", 0, bucket_mib=None)
    jobs = [(scheme, scheme_rules.rules(options.build, scheme)) for scheme in options.schemes]
    table = None
    agree = True
    for scheme, rules in jobs:
        charged = (simulated.site_round(options, scheme) if rules["kind"] == "round" else
                   simulated.step(options, scheme, rules.get("stage", 0), options.bucket_mib))
        row = rows.compared(options, rules["kind"], charged, measured(options, plain, rules))
        if table is None:
            table = csv.DictWriter(sys.stdout, row, lineterminator="\n")
            table.writeheader()
        table.writerow(row)
        sys.stdout.flush()
        agree = agree and abs(row["ratio"] - 1) <= TOLERANCE
    return agree


def measured(options, plain, rules):
    """What each rank says of a job, and what the kernel counted of it."""
    places = layers.places(simulated.MODEL, plain)
    job = {"ranks": options.ranks, "rate_bps": options.rate, "burst_kib": options.burst_kib,
           "delay_s": options.delay_ms / 1000, "steps": options.steps,
           "inner_steps": options.inner_steps, "overlap": options.bucket_mib is not None,
           "places": places, "buckets": layers.buckets(places, (options.bucket_mib or 0) * 2**20 // 4),
           "compute_s": plain["compute_s"], **rules}
    codecs = os.pathsep.join([str(options.build / "python"), os.environ.get("PYTHONPATH", "")])
    command = [*NEW_NAMESPACES, sys.executable, "-B", str(HERE / "namespace.py"), json.dumps(job)]
    # The job ends when its standard input does: with this process at the latest.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": codecs}) as process:
        threading.Thread(target=end_with, args=(process,), daemon=True).start()
        said = process.stdout.read()
    if process.returncode != 0:
        sys.exit(f"testbed: the job ended with {process.returncode}")
    return json.loads(said)


def end_with(process):
    """`unshare` waits for the job; if it is killed instead, this ends the job."""
    process.wait()
    process.stdin.close()


if __name__ == "__main__":
    sys.exit(main())
