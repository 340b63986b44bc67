# SPDX-License-Identifier: Apache-2.0
"""What can be asked of a job, and the flags for it."""
import argparse
import os
import re
import sys
import typing
from pathlib import Path

import simulated

ALL = ("data_parallel", "bf16_all_reduce.toml", "int8_all_reduce", "int4_all_reduce", "ef_sign", "top_k",
       "sparseloco_gradients.toml")


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
    apart: bool = False  # each rank has a machine of its own
    machine: str = ""  # a folder of the inputs; none: the inputs themselves

    @property
    def host_file(self):
        return str(Path(self.machine, f"host_{1 if self.apart else self.ranks}.toml"))

    @property
    def codecs_file(self):
        return str(Path(self.machine, "codecs.json"))


def add_build_flag(parser):
    parser.add_argument("--build", type=lambda folder: Path(folder).resolve(), default=default_build(),
                        help="default: build/release")


def add_job_flags(parser):
    add_build_flag(parser)
    parser.add_argument("--inputs", type=Path, default=simulated.INPUTS,
                        help="folder that host.py wrote for this machine; default: traces/measured/testbed")
    parser.add_argument("--rate", type=rate, default=rate("500Mbps"),
                        help="of each line and direction, in kbps, Mbps or Gbps; default: 500Mbps")
    parser.add_argument("--schemes", type=schemes, default=list(ALL),
                        help="names and files, separated by commas; default: one for each codec")
    parser.add_argument("--model", type=input_file, default="gpt_3m.toml", metavar="FILE",
                        help="default: gpt_3m.toml of traces/measured/testbed")
    parser.add_argument("--bucket-mib", type=at_least(1), metavar="MIB",
                        help="overlap exchange and computing, in buckets; default: no overlap")
    parser.add_argument("--steps", type=at_least(1), default=3,
                        help="steps, or rounds between sites, that are counted; default: 3")
    parser.add_argument("--inner-steps", type=at_least(1), default=4, metavar="N",
                        help="steps of a round between sites; default: 4")


def options_of(given):
    simulated.INPUTS = given.inputs.resolve()
    return Options(**{name: getattr(given, name) for name in Options._fields if hasattr(given, name)})


def ended(main):
    """The exit code of a command, also if somebody interrupts it or reads no further."""
    try:
        code = main()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is flushed at the end
        return 1
    except (OSError, simulated.InputError) as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return 2


def default_build():
    return Path(__file__).resolve().parents[2] / "build/release"


def input_file(name):
    """Of the working directory, if it is there."""
    return str(Path(name).resolve()) if Path(name).is_file() else name


def schemes(names):
    chosen = [input_file(name.strip()) for name in names.split(",") if name.strip()]
    if not chosen:
        raise argparse.ArgumentTypeError("names no scheme")
    return chosen


def at_least(least):
    def whole(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least {least}")
        return int(text)
    return whole


def rate(text):
    """Bits per second."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([kMG])(?:bps|b/s)", text)
    if not match or float(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a rate; write e.g. 500Mbps or 1.2Gbps")
    return round(float(match[1]) * {"k": 10**3, "M": 10**6, "G": 10**9}[match[2]])
