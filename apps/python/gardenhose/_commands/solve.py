# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""solve(), and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional

from .._arguments import Named, Values
from .._call import several
from .._results import Record, Records
from .units import Number, Text, Truth


class Solution(Record):
    """A result of `gardenhose solve`."""

    unknown: Text
    unit: Text
    topology: Text
    model: Text
    scheme: Text
    goal: Text
    fits_memory: Truth
    met: Text
    binds: Any
    met_at: Number
    missed_at: Number
    met_at_low: Number
    met_at_high: Number
    tokens_per_day: Number

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "unknown", "unit", "topology", "model", "scheme", "goal", "fits_memory", "met", "binds",
            "met_at", "missed_at", "met_at_low", "met_at_high", "tokens_per_day"
        ]) -> Any: ...


def solve(unknown: str, *, topology: Optional[Values] = None, model: Optional[Values] = None,
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
          optimizer_precision: Optional[Values] = None, gradient_precision: Optional[Values] = None,
          overlap: Optional[Values] = None, bucket_size: Optional[Values] = None,
          algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
          nccl: Optional[Values] = None, calibration: Optional[Values] = None,
          codec_time: Optional[Values] = None, host_codecs: Optional[Values] = None,
          host_issue: Optional[Values] = None, step_by_step: Optional[bool] = None,
          each_kernel: Optional[bool] = None, whole: Optional[bool] = None,
          set: Optional[Named] = None, inner_scheme: Optional[Values] = None,
          deadline: Optional[Values] = None, balance: Optional[Values] = None,
          utilisation: Optional[Values] = None, tokens_per_day: Optional[Values] = None,
          usd_per_million_tokens: Optional[Values] = None, beats: Optional[Values] = None,
          best: Optional[Values] = None, jobs: Optional[Values] = None) -> Records[Solution]:
    """Finds, by repeated simulation, the value of one unknown at which training reaches a given
    utilisation, so many tokens a day or a price, at which one scheme stops beating another, or the
    best value.

    Flags:
        unknown: bandwidth|inner_steps|latency|peers|layers|quorum|deadline
        utilisation: utilisations to reach, separated by commas (default: 0.5,0.8,0.9,0.95,0.99)
        tokens_per_day: tokens a day to reach, separated by commas, instead of a utilisation; of
            sites that come and go those that they keep
        usd_per_million_tokens: prices of a million tokens not to exceed, in dollars, separated by
            commas, instead of a utilisation: GPUs, network, leased links and egress
        beats: scheme to beat, instead of a utilisation to reach: find the value of the unknown at
            which scheme becomes, or stops being, the faster of the two
        best: tokens|usd, instead of a utilisation: the inner_steps, peers, quorum or deadline that
            trains most tokens a day, or at the lowest price; of sites that come and go what they
            keep
        jobs: simulations to run at once (default: all cores, or the cores that Slurm allots)

    As of run(): topology, model, from_, scheme, nodes, gpus_per_node, node_placement, traffic,
    sequence, tp, pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages,
    count_ends, stage_layers, placement, micro_batch, accumulation, global_batch, sequence_parallel,
    recompute, offload_activations, routing, capacity_factor, zero, hybrid_shard, reshard,
    unit_layers, prefetch, backward_prefetch, gradient_sync, offload_weights, stack, attention,
    kernels, cuda_graphs, power_throttling, loss, precision, weight_precision, optimizer,
    optimizer_state, optimizer_precision, gradient_precision, overlap, bucket_size, algorithm,
    protocol, nccl, calibration, codec_time, host_codecs, host_issue, step_by_step, each_kernel,
    whole, set, inner_scheme, deadline, balance.

    Returns a Solution for each scheme.
    """
    return several(Solution, "solve", locals())
