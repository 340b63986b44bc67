# SPDX-License-Identifier: Apache-2.0
"""The cells of the grids: which job each is, what is predicted of it, and how it is measured."""
import json
import shlex
import typing

import jobs
import scheme_rules
import simulated
from options import Options

STEPS = ("data_parallel", "bf16_all_reduce.toml", "int8_all_reduce", "int4_all_reduce", "ef_sign", "top_k",
         "sparseloco_gradients.toml", "mxfp4_all_reduce.toml")
SHARDED = ("sharded", "sharded_int8.toml", "sharded_int4.toml")
ROUNDS = ("diloco", "diloco_int8", "sparseloco")
BREAK_EVEN = ("mxfp4_all_reduce.toml", "nf4_all_reduce.toml", "eden3_all_reduce.toml")
REPETITIONS = 3
MEGA, GIGA = 10**6, 10**9


class Grid(typing.NamedTuple):
    model: str
    ranks: tuple
    rates: tuple  # of steps, bits per second
    round_rates: tuple
    delays_ms: tuple  # of rounds
    bucket_mib: int  # with overlap
    steps: tuple = STEPS
    sharded: tuple = SHARDED
    rounds: tuple = ROUNDS
    break_even: tuple = BREAK_EVEN
    bisections: int = 1  # of each break-even rate
    machine: str = ""  # whose host.py described, a folder of traces/measured/testbed; none: the first


GRIDS = {
    "first": Grid(model="gpt_7m.toml", ranks=(2, 4), rates=(50 * MEGA, 300 * MEGA, 2 * GIGA, 10 * GIGA),
                  round_rates=(50 * MEGA, 300 * MEGA), delays_ms=(0, 10, 40), bucket_mib=7),
    "second": Grid(model="gpt_3m_deep.toml", ranks=(2, 4), rates=(80 * MEGA, 400 * MEGA, 1200 * MEGA, 5 * GIGA),
                   round_rates=(80 * MEGA, 160 * MEGA), delays_ms=(0, 10, 40), bucket_mib=3),
    "third": Grid(model="gpt_3m.toml", ranks=(2, 4), rates=(150 * MEGA,), round_rates=(), delays_ms=(), bucket_mib=4,
                  break_even=("mxfp4_all_reduce.toml", "terngrad_all_reduce.toml", "eden3_all_reduce.toml",
                              "nvfp4_all_reduce.toml")),
    "fourth": Grid(model="gpt_5m.toml", ranks=(2, 4), rates=(250 * MEGA,), round_rates=(), delays_ms=(), bucket_mib=5,
                   break_even=("mxfp4_all_reduce.toml", "natural_all_reduce.toml", "nvfp4_sr_all_reduce.toml",
                               "rotated_int4_all_reduce.toml"), bisections=5, machine="second_machine"),
    "small": Grid(model="gpt_3m.toml", ranks=(2,), rates=(100 * MEGA, GIGA), round_rates=(100 * MEGA,),
                  delays_ms=(10,), bucket_mib=4, break_even=("mxfp4_all_reduce.toml",)),
}
PREDICTED = ("grid", "cell", "twin", "kind", "ranks", "rate_bps", "delay_ms", "overlap", "scheme", "step_s",
             "exposed_s", "codec_s", "null_s", "break_even_bps", "flags")


class Cell(typing.NamedTuple):
    grid: str
    kind: str
    scheme: str
    twin_scheme: str
    options: Options
    rules: dict

    def name_with(self, scheme):
        one = self.options
        overlap = "" if one.bucket_mib is None else "-overlap"
        delay = f"-{one.delay_ms}ms" if self.kind == "round" else ""
        rate = "" if self.kind == "break_even" else f"-{one.rate // MEGA}Mbps"
        return f"{self.grid}-{self.kind}-{scheme.removesuffix('.toml')}-{one.ranks}{rate}{delay}{overlap}"

    @property
    def name(self):
        return self.name_with(self.scheme)

    def predicted(self, build):
        one = self.options
        twin = "" if self.scheme == self.twin_scheme or self.kind == "break_even" else self.name_with(self.twin_scheme)
        row = {"grid": self.grid, "cell": self.name, "twin": twin, "kind": self.kind, "ranks": one.ranks,
               "rate_bps": "" if self.kind == "break_even" else one.rate, "delay_ms": one.delay_ms,
               "overlap": "off" if one.bucket_mib is None else "on", "scheme": self.scheme.removesuffix(".toml")}
        return {**row, **(_break_even(build, self) if self.kind == "break_even" else _times(build, self))}


def of_grid(build, name):
    grid = GRIDS[name]
    rules = {scheme: scheme_rules.rules(build, scheme)
             for scheme in (*grid.steps, *grid.sharded, *grid.rounds, *grid.break_even)}

    def cell(kind, scheme, twin, **options):
        chosen = Options(build, model=grid.model, steps=REPETITIONS, machine=grid.machine, **options)
        return Cell(name, kind, scheme, twin, chosen, rules[scheme])

    for ranks in grid.ranks:
        for rate in grid.rates:
            for bucket_mib in (None, grid.bucket_mib):
                how = {"ranks": ranks, "rate": rate, "bucket_mib": bucket_mib}
                for scheme in grid.steps:
                    yield cell("step", scheme, "data_parallel", **how)
                for scheme in grid.sharded:
                    yield cell("sharded_step", scheme, "sharded", **how)
        for rate in grid.round_rates:
            for delay_ms in grid.delays_ms:
                for scheme in grid.rounds:
                    yield cell("round", scheme, "diloco", ranks=ranks, rate=rate, delay_ms=delay_ms)
    for ranks in grid.ranks[:1]:
        for scheme in grid.break_even:
            yield cell("break_even", scheme, "data_parallel", ranks=ranks, rate=grid.rates[-1])


def _times(build, cell):
    flags = simulated.flags_of(cell.options, cell.scheme, cell.rules)
    said = simulated.report(build, flags)
    of_round = cell.kind == "round"
    sent = said["wire_bytes_wan" if of_round else "wire_bytes_inter_node"]
    # Of a round's report, `compute_s` has the inner optimizer's.
    null_s = said["compute_s"] + said["optimizer_s"] + said["other_s"] + 8 * sent / cell.options.rate
    return {"step_s": _short(said["round_time_s" if of_round else "step_time_s"]),
            "exposed_s": _short(said["exposed_comm_s"] + said["codec_s"]), "codec_s": _short(said["codec_s"]),
            "null_s": _short(null_s), "flags": shlex.join(flags)}


def _break_even(build, cell):
    flags = ["bandwidth", "--beats", cell.twin_scheme,
             *simulated.flags_of(cell.options, cell.scheme, cell.rules)]
    (said,) = json.loads(simulated.gardenhose(build, "solve", *flags, "--format", "json"))
    rate = said["met_at"] and round(1e9 * said["met_at"])
    return {"break_even_bps": rate or "", "flags": shlex.join(flags)}


def _short(seconds):
    return f"{seconds:.6g}"


def measured(build, cell):
    """A row for each repetition, of the slowest rank."""
    ranks = jobs.run(build, jobs.job_of(cell.options, cell.rules))
    for repetition, steps in enumerate(zip(*(rank["steps"] for rank in ranks))):
        slowest = max(steps, key=lambda one: one["step_s"])
        yield {"repetition": repetition + 1,
               **{of: _short(slowest[of]) for of in ("step_s", "exposed_s", "codec_s")}}
