# SPDX-License-Identifier: Apache-2.0
"""The functions of the Python module: which command each calls, and how its result is wrapped.

What a command prints besides `run`'s figures has no table in the program. Its type is what it
prints for the `samples`, quick calls that between them show each of its keys.
"""

import dataclasses

JOB = ["--topology=sdp4bit_a100", "--model=gpt_125m", "--nodes=2"]
SITES = ["--topology=two_sites_10g", "--model=gpt_125m"]


@dataclasses.dataclass(frozen=True)
class Command:
    name: str
    kind: str  # of the result
    returns: str  # how the docstring puts it
    first: str = ""  # the positional argument, which other commands' `inputs` is
    first_type: str = ""
    body: str = ""  # where it is not one() or several() of `kind`
    many: bool = False
    left_out: tuple[str, ...] = ()  # flags that print something else
    samples: tuple[list[str], ...] = ()


COMMANDS = (
    Command("compare", "Comparison", "a Comparison: which side is better, and how certain that is",
            samples=([*JOB, "--a=--scheme sdp4bit", "--b=--scheme sharded", "--repetitions=4"],
                     [*SITES, "--a=--scheme diloco", "--b=--scheme wan_sync", "--repetitions=2"])),
    Command("map", "MapPoint", "a MapPoint for each pair of values", many=True,
            samples=([*JOB, "--bandwidths=25Gbps", "--scheme=sdp4bit"],
                     [*SITES, "--x=bandwidth=1Gbps", "--y=latency=10ms", "--scheme=sparseloco"])),
    Command("plan", "Plans", "Plans, the best first: `plans`",
            samples=([*JOB, "--tokens=1e10", "--tp=1", "--pp=1", "--scheme=sharded",
                      "--deadline=3d", "--upgrade=gpu.price=1 USD/h"],
                     [*JOB, "--tokens=1e10", "--tp=1", "--pp=1", "--setups"],
                     [*SITES, "--tokens=1e9", "--scheme=diloco", "--batch-tokens=65536"])),
    Command("solve", "Solution", "a Solution for each scheme", many=True, first="unknown",
            first_type="str", samples=(
                ["bandwidth", *JOB, "--scheme=sdp4bit", "--utilisation=0.8"],
                ["inner_steps", *SITES, "--scheme=diloco", "--best=tokens"])),
    Command("collective", "CollectiveTime", "a CollectiveTime for each size; with `pairs`, one "
            "for all", many=True, first="collective", first_type="Optional[str] = None", samples=(
                ["all_reduce", JOB[0], "--nodes=2", "--begin=1MiB", "--end=1MiB"],
                ["all_reduce", JOB[0], "--nodes=2", "--begin=1MiB", "--end=1MiB",
                 "--compress=int8_g128"],
                [JOB[0], "--nodes=2", "--pairs=1MiB"])),
    Command("fit", "Fit", "a Fit: the constants and their errors", first="log",
            first_type="Optional[Values] = None",
            samples=(["h200_4_nccl2.23", "--topology=dgx_h200_x16"],)),
    Command("bom", "PartsList", "a PartsList, with prices and watts",
            samples=(["--topology=dgx_h100_x16"],)),
    Command("validate", "AnyRecord", "a record whose keys depend on the study", first="study",
            first_type="Optional[str] = None"),
    Command("sweep", "Records[Point]", "a Point for each point of the spec: its inputs, state and "
            "report. `spec` is a file or a dict of its tables. Results of a dict are kept where "
            "`store` is given", first="spec", first_type='Union[str, os.PathLike[str], '
            'Mapping[str, object]]', body="swept(locals())", left_out=("dry-run",)),
    Command("check", "Checked", "Checked, which is true if no point fails", first="what",
            first_type='Union[str, os.PathLike[str], None] = None', body="checked(locals())"),
)
