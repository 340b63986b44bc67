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
import re
import sys
import typing
from pathlib import Path

sys.dont_write_bytecode = True
import jobs  # noqa: E402
import rows  # noqa: E402
import scheme_rules  # noqa: E402
import simulated  # noqa: E402

ALL = ("data_parallel", "bf16_all_reduce.toml", "int8_all_reduce", "int4_all_reduce", "ef_sign", "top_k",
       "sparseloco_gradients.toml")
TOLERANCE = 0.01
CANNOT = 77  # which ctest shows as skipped


class Options(typing.NamedTuple):
    """Of one job."""

    build: Path
    ranks: int
    rate: int  # bits per second
    model: str
    delay_ms: int = 0
    bucket_mib: typing.Optional[int] = None
    steps: int = 3
    inner_steps: int = 4


def main():
    given = parse()
    if reason := jobs.why_not():
        print(f"testbed: skipped: shaped lines between namespaces cannot be made here: {reason}",
              file=sys.stderr)
        return CANNOT
    if given.probe:
        return 0
    options = Options(*(getattr(given, name) for name in Options._fields))
    try:
        return 0 if compare(options, given.schemes) else 1
    except simulated.InputError as error:
        print(error, file=sys.stderr)
        return 2


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, choices=(2, 3, 4), default=2, help="default: 2")
    parser.add_argument("--rate", type=rate, default=rate("500Mbps"),
                        help="of each line and direction, in kbps, Mbps or Gbps; default: 500Mbps")
    parser.add_argument("--delay-ms", type=int, default=0, metavar="MS",
                        help="from each rank to each other; up to some hundreds of Mb/s; default: 0")
    parser.add_argument("--schemes", type=lambda names: [input_file(name) for name in names.split(",")],
                        default=list(ALL),
                        help="names and files, separated by commas; default: one for each codec")
    parser.add_argument("--model", type=input_file, default="gpt_3m.toml", metavar="FILE",
                        help="default: gpt_3m.toml of traces/measured/testbed")
    parser.add_argument("--bucket-mib", type=int, metavar="MIB",
                        help="overlap exchange and computing, in buckets; default: no overlap")
    parser.add_argument("--steps", type=int, default=3,
                        help="steps, or rounds between sites, that are counted; default: 3")
    parser.add_argument("--inner-steps", type=int, default=4, metavar="N",
                        help="steps of a round between sites; default: 4")
    parser.add_argument("--build", type=lambda folder: Path(folder).resolve(), default=default_build(),
                        help="default: build/release")
    parser.add_argument("--probe", action="store_true", help="only say whether the testbed can run here")
    options = parser.parse_args()
    for flag, least in (("bucket_mib", 1), ("steps", 1), ("inner_steps", 1),
                        ("delay_ms", 0)):
        value = getattr(options, flag)
        if value is not None and value < least:
            parser.error(f"--{flag.replace('_', '-')}: {value} is less than {least}")
    return options


def default_build():
    return Path(__file__).resolve().parents[2] / "build/release"


def input_file(name):
    """Of the working directory, if it is there."""
    return str(Path(name).resolve()) if Path(name).is_file() else name


def rate(text):
    """Bits per second."""
    match = re.fullmatch(r"([1-9]\d*)([kMG])bps", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a rate; write e.g. 500Mbps")
    return int(match[1]) * {"k": 10**3, "M": 10**6, "G": 10**9}[match[2]]


def compare(options, schemes):
    """Prints a row for each scheme; whether all bytes agree."""
    chosen = [(scheme, scheme_rules.rules(options.build, scheme)) for scheme in schemes]
    table = None
    agree = True
    for scheme, rules in chosen:
        charged = simulated.report(options.build, simulated.flags_of(options, rules["kind"], scheme,
                                                                     rules.get("stage", 0)))
        row = rows.compared(options, rules["kind"], charged,
                            jobs.run(options.build, jobs.job_of(options, rules)))
        if table is None:
            table = csv.DictWriter(sys.stdout, row, lineterminator="\n")
            table.writeheader()
        table.writerow(row)
        sys.stdout.flush()
        agree = agree and abs(row["ratio"] - 1) <= TOLERANCE
    return agree


if __name__ == "__main__":
    sys.exit(main())
