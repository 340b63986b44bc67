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
import sys

sys.dont_write_bytecode = True
import jobs  # noqa: E402
import rows  # noqa: E402
import scheme_rules  # noqa: E402
import simulated  # noqa: E402
from options import add_job_flags, at_least, ended, options_of  # noqa: E402

TOLERANCE = 0.01
CANNOT = 77  # which ctest shows as skipped


def main():
    given = parse()
    if reason := jobs.why_not():
        print(f"testbed: skipped: shaped lines between namespaces cannot be made here: {reason}",
              file=sys.stderr)
        return CANNOT
    if given.probe:
        return 0
    return 0 if compare(options_of(given), given.schemes) else 1


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, choices=(2, 3, 4), default=2, help="default: 2")
    parser.add_argument("--delay-ms", type=at_least(0), default=0, metavar="MS",
                        help="from each rank to each other; default: 0")
    add_job_flags(parser)
    parser.add_argument("--probe", action="store_true", help="only say whether the testbed can run here")
    return parser.parse_args()


def compare(options, schemes):
    """Prints a row for each scheme; whether all bytes agree."""
    chosen = [(scheme, scheme_rules.rules(options.build, scheme)) for scheme in schemes]
    ratios = []

    def compared():
        for scheme, rules in chosen:
            charged = simulated.report(options.build, simulated.flags_of(options, scheme, rules))
            row = rows.compared(options, rules["kind"], charged,
                                jobs.run(options.build, jobs.job_of(options, rules)))
            ratios.append(row["ratio"])
            yield row

    rows.print_each(compared())
    return all(abs(ratio - 1) <= TOLERANCE for ratio in ratios)


if __name__ == "__main__":
    sys.exit(ended(main))
