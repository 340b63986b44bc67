#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The grids of jobs whose predictions were frozen before they were measured (docs/testbed.md).

    tests/testbed/grid.py small --inputs mine
    tests/testbed/grid.py predict --grid first > predicted.csv
    tests/testbed/grid.py measure --predicted predicted.csv > measured.csv

`small` measures this machine into a new folder, predicts a small grid with that, and measures it, in some
minutes. `predict` takes the machine of traces/measured/testbed. `measure` runs the jobs of such a file, and
finds break-even rates by bisection. Nothing else should run meanwhile.
"""
import argparse
import csv
import datetime
import hashlib
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import break_even  # noqa: E402
import cells  # noqa: E402
import host  # noqa: E402
import jobs  # noqa: E402
import simulated  # noqa: E402
from options import add_build_flag, ended  # noqa: E402

TIMES = ("step_s", "exposed_s", "codec_s")
MEASURED = ("cell", "repetition", *TIMES, "break_even_bps")


def main():
    given = parse()
    if reason := jobs.why_not():
        print(f"grid.py: {reason}", file=sys.stderr)
        return 77
    given.run(given)
    return 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in (("small", small), ("predict", predict), ("measure", measure)):
        command = commands.add_parser(name, help=run.__doc__.split("\n")[0])
        command.set_defaults(run=run)
        add_build_flag(command)
        if run == predict:
            command.add_argument("--grid", choices=cells.GRIDS, action="append", required=True,
                                 help="may be given more than once")
        elif run == small:
            command.add_argument("--inputs", type=Path, required=True,
                                 help="new folder, for what describes this machine")
        else:
            command.add_argument("--predicted", type=Path, required=True, help="what `predict` printed")
    return parser.parse_args()


def small(given):
    """Measures this machine, and prints predictions of a small grid beside what they turn out to be."""
    if given.inputs.exists():
        raise simulated.InputError(f"--inputs: {given.inputs} is there already; name a new folder")
    host.measure(given.build, given.inputs)
    chosen = list(cells.of_grid(given.build, "small"))
    predicted = [cell.predicted(given.build) for cell in chosen]
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["cell", *(f"{of}_{side}" for of in TIMES for side in ("predicted", "measured"))])
    for cell, row in zip(chosen, predicted):
        if cell.kind == "break_even":
            low, high = break_even.measured(given.build, cell)
            print(f"# {cell.name}: predicted {row['break_even_bps']}, measured {low['break_even_bps']} to "
                  f"{high['break_even_bps']} bits per second", flush=True)
            continue
        repetitions = list(cells.measured(given.build, cell))
        medians = {of: statistics.median(float(one[of]) for one in repetitions) for of in TIMES}
        table.writerow([cell.name, *(value for of in TIMES for value in (row[of], medians[of]))])
        sys.stdout.flush()


def predict(given):
    """Prints predictions of the cells of grids."""
    predicted = [cell.predicted(given.build) for name in given.grid for cell in cells.of_grid(given.build, name)]
    print(f"# predicted on {datetime.date.today()} by {commit()} from inputs {hash_of_inputs()}")
    table = csv.DictWriter(sys.stdout, cells.PREDICTED, lineterminator="\n")
    table.writeheader()
    table.writerows(predicted)


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], stdout=subprocess.PIPE, text=True,
                          cwd=simulated.INPUTS)
    return done.stdout.strip() or "an unknown commit"


def hash_of_inputs():
    """Of all files that flags name."""
    digest = hashlib.sha256()
    for file in sorted(file for file in simulated.INPUTS.rglob("*") if file.is_file()):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def measure(given):
    """Measures the cells of such predictions."""
    chosen = cells_of(given)
    print(f"# measured on {datetime.date.today()} by tests/testbed/grid.py on {processor()}")
    table = csv.DictWriter(sys.stdout, MEASURED, restval="", lineterminator="\n")
    table.writeheader()
    for number, cell in enumerate(chosen):
        print(f"\r{number + 1} of {len(chosen)}: {cell.name:60}", end="", file=sys.stderr, flush=True)
        for one in measured(given.build, cell):
            table.writerow({"cell": cell.name, **one})
            sys.stdout.flush()
    print(file=sys.stderr)


def measured(build, cell):
    """Rows of a cell."""
    if cell.kind != "break_even":
        yield from cells.measured(build, cell)
        return
    for _ in range(cells.GRIDS[cell.grid].bisections):
        yield from break_even.measured(build, cell)


def cells_of(given):
    """Those that the file of predictions names."""
    with open(given.predicted, newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    known = {cell.name: cell for grid in cells.GRIDS for cell in cells.of_grid(given.build, grid)}
    for row in rows:
        if row.get("cell") not in known:
            raise simulated.InputError(f"{given.predicted}: cell: '{row.get('cell')}' is in no grid; write what "
                                       "`predict` prints")
    return [known[row["cell"]] for row in rows]


def processor():
    with open("/proc/cpuinfo") as file:
        return next(line.split(": ")[1].strip() for line in file if line.startswith("model name"))


if __name__ == "__main__":
    sys.exit(ended(main))
