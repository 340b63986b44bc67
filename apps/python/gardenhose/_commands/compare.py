# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""compare(), and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Literal, Mapping, Optional

from .._arguments import Named, Values
from .._call import one
from .._results import Record
from .units import Number, Count, Text, Truth, Seconds, TokensPerSecond


class Side(Record):
    """`a`."""

    flags: Text
    tuned_flags: Any
    topology: Text
    model: Text
    scheme: Text
    global_batch: Count
    sequence: Count
    fits_memory: Truth
    step_time_s: Seconds
    tokens_per_s: TokensPerSecond
    steady_tokens_per_s: TokensPerSecond
    tokens_per_s_median: TokensPerSecond
    tokens_per_s_low: TokensPerSecond
    tokens_per_s_high: TokensPerSecond
    repetitions_without_tokens: Count
    round_time_s: Seconds
    inner_steps: Count

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "flags", "tuned_flags", "topology", "model", "scheme", "global_batch", "sequence",
            "fits_memory", "step_time_s", "tokens_per_s", "steady_tokens_per_s",
            "tokens_per_s_median", "tokens_per_s_low", "tokens_per_s_high",
            "repetitions_without_tokens", "round_time_s", "inner_steps"
        ]) -> Any: ...


class ComparisonAssumptionsFlip(Record):
    """`flip`."""

    factor: Number
    spreads: Number
    flags_a: Text
    flags_b: Text

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "factor", "spreads", "flags_a", "flags_b"
        ]) -> Any: ...


class ComparisonAssumptions(Record):
    """One of `assumptions`."""

    assumption: Text
    meaning: Text
    of: Text
    spread: Number
    source: Text
    flip: ComparisonAssumptionsFlip

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "assumption", "meaning", "of", "spread", "source", "flip"
        ]) -> Any: ...


class Comparison(Record):
    """A result of `gardenhose compare`."""

    goal: Text
    repetitions: Count
    seed: Count
    ratio: Number
    likely_low: Number
    likely_high: Number
    verdict: Text
    steady_ratio: Number
    ratio_median: Number
    ratio_low: Number
    ratio_high: Number
    probability_a_better: Number
    probability_low: Number
    probability_high: Number
    ties: Count
    a: Side
    b: Side
    assumptions: List[ComparisonAssumptions]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "goal", "repetitions", "seed", "ratio", "likely_low", "likely_high", "verdict",
            "steady_ratio", "ratio_median", "ratio_low", "ratio_high", "probability_a_better",
            "probability_low", "probability_high", "ties", "a", "b", "assumptions"
        ]) -> Any: ...


def compare(inputs: Optional[Mapping[str, object]] = None, *, a: Optional[Named] = None,
            b: Optional[Named] = None, goal: Optional[Values] = None, tune: Optional[bool] = None,
            repetitions: Optional[Values] = None, jobs: Optional[Values] = None,
            seed: Optional[Values] = None, spread: Optional[Named] = None,
            topology: Optional[Values] = None, model: Optional[Values] = None,
            from_: Optional[Values] = None, scheme: Optional[Values] = None,
            nodes: Optional[Values] = None, gpus_per_node: Optional[Values] = None,
            node_placement: Optional[Values] = None, traffic: Optional[Values] = None,
            sequence: Optional[Values] = None, tp: Optional[Values] = None,
            pp: Optional[Values] = None, cp: Optional[Values] = None,
            cp_exchange: Optional[Values] = None, cp_heads: Optional[Values] = None,
            ep: Optional[Values] = None, etp: Optional[Values] = None,
            dispatcher: Optional[Values] = None, dispatch_sms: Optional[Values] = None,
            virtual_stages: Optional[Values] = None, count_ends: Optional[Values] = None,
            stage_layers: Optional[Values] = None, placement: Optional[Values] = None,
            micro_batch: Optional[Values] = None, accumulation: Optional[Values] = None,
            global_batch: Optional[Values] = None, sequence_parallel: Optional[Values] = None,
            recompute: Optional[Values] = None, offload_activations: Optional[Values] = None,
            routing: Optional[Values] = None, capacity_factor: Optional[Values] = None,
            zero: Optional[Values] = None, hybrid_shard: Optional[Values] = None,
            reshard: Optional[Values] = None, unit_layers: Optional[Values] = None,
            prefetch: Optional[Values] = None, backward_prefetch: Optional[Values] = None,
            gradient_sync: Optional[Values] = None, offload_weights: Optional[Values] = None,
            stack: Optional[Values] = None, attention: Optional[Values] = None,
            kernels: Optional[Values] = None, cuda_graphs: Optional[Values] = None,
            power_throttling: Optional[Values] = None, loss: Optional[Values] = None,
            precision: Optional[Values] = None, weight_precision: Optional[Values] = None,
            optimizer: Optional[Values] = None, optimizer_state: Optional[Values] = None,
            optimizer_precision: Optional[Values] = None,
            gradient_precision: Optional[Values] = None, overlap: Optional[Values] = None,
            bucket_size: Optional[Values] = None, algorithm: Optional[Values] = None,
            protocol: Optional[Values] = None, nccl: Optional[Values] = None,
            calibration: Optional[Values] = None, codec_time: Optional[Values] = None,
            host_codecs: Optional[Values] = None, host_issue: Optional[Values] = None,
            step_by_step: Optional[bool] = None, each_kernel: Optional[bool] = None,
            whole: Optional[bool] = None, set: Optional[Named] = None,
            inner_scheme: Optional[Values] = None, deadline: Optional[Values] = None,
            balance: Optional[Values] = None, reliability: Optional[Values] = None) -> Comparison:
    """Compares two configurations: which is better, how certain that is, and what would flip the
    decision.

    Each side is a run (a step on one cluster, or rounds on several sites) with its own flags, in
    quotes; all other flags apply to both sides. Predictions rest on uncertain assumptions, such as
    the bandwidth that a network reaches. Each repetition draws new values for all assumptions (the
    same for both sides if they share an assumption) and simulates both sides.

    Flags:
        a: flags of run for A alone, in quotes; none if left out
        b: flags of run for B alone, in quotes; none if left out
        goal: throughput|cost: tokens per second, or tokens per dollar spent on GPUs, the network
            and, between sites, leased links and egress (default: throughput)
        tune: run each side with its fastest options, as run tune does
        repetitions: number of pairs to simulate (default: 100)
        jobs: simulations to run at once (default: all cores, or the cores that Slurm allots)
        seed: seed of the random draws; the same seed gives the same answer (default: 1)
        spread: NAME=S: uncertainty of an assumption, as the standard deviation of its logarithm
            (0.1: about 10 %); NAME=0 treats it as exact; NAME may be 'all'
        reliability: how often parts fail and how the job recovers: a shipped name, e.g.
            llama3_h100, or a file. Adds the goodput, the share of the time whose training is kept,
            with the best interval between checkpoints

    As of run(): topology, model, from_, scheme, nodes, gpus_per_node, node_placement, traffic,
    sequence, tp, pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages,
    count_ends, stage_layers, placement, micro_batch, accumulation, global_batch, sequence_parallel,
    recompute, offload_activations, routing, capacity_factor, zero, hybrid_shard, reshard,
    unit_layers, prefetch, backward_prefetch, gradient_sync, offload_weights, stack, attention,
    kernels, cuda_graphs, power_throttling, loss, precision, weight_precision, optimizer,
    optimizer_state, optimizer_precision, gradient_precision, overlap, bucket_size, algorithm,
    protocol, nccl, calibration, codec_time, host_codecs, host_issue, step_by_step, each_kernel,
    whole, set, inner_scheme, deadline, balance.

    Returns a Comparison: which side is better, and how certain that is.
    """
    return one(Comparison, "compare", locals())
