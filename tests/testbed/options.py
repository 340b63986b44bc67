# SPDX-License-Identifier: Apache-2.0
"""What can be asked of a job, and the flags for it."""
import argparse
import re
import typing
from pathlib import Path

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

    @property
    def host_file(self):
        return f"host_{1 if self.apart else self.ranks}.toml"


def add_job_flags(parser):
    parser.add_argument("--rate", type=rate, default=rate("500Mbps"),
                        help="of each line and direction, in kbps, Mbps or Gbps; default: 500Mbps")
    parser.add_argument("--delay-ms", type=at_least(0), default=0, metavar="MS",
                        help="from each rank to each other; default: 0")
    parser.add_argument("--schemes", type=lambda names: [input_file(name) for name in names.split(",")],
                        default=list(ALL),
                        help="names and files, separated by commas; default: one for each codec")
    parser.add_argument("--model", type=input_file, default="gpt_3m.toml", metavar="FILE",
                        help="default: gpt_3m.toml of traces/measured/testbed")
    parser.add_argument("--bucket-mib", type=at_least(1), metavar="MIB",
                        help="overlap exchange and computing, in buckets; default: no overlap")
    parser.add_argument("--steps", type=at_least(1), default=3,
                        help="steps, or rounds between sites, that are counted; default: 3")
    parser.add_argument("--inner-steps", type=at_least(1), default=4, metavar="N",
                        help="steps of a round between sites; default: 4")
    parser.add_argument("--build", type=lambda folder: Path(folder).resolve(), default=default_build(),
                        help="default: build/release")


def options_of(given):
    return Options(*(getattr(given, name) for name in Options._fields if name != "apart"))


def default_build():
    return Path(__file__).resolve().parents[2] / "build/release"


def input_file(name):
    """Of the working directory, if it is there."""
    return str(Path(name).resolve()) if Path(name).is_file() else name


def at_least(least):
    def whole(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least {least}")
        return int(text)
    return whole


def rate(text):
    """Bits per second."""
    match = re.fullmatch(r"([1-9]\d*)([kMG])bps", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a rate; write e.g. 500Mbps")
    return int(match[1]) * {"k": 10**3, "M": 10**6, "G": 10**9}[match[2]]
