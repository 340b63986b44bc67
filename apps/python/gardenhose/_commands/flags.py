# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""What run() and run_many() take."""

from __future__ import annotations

from typing import TypedDict

from .._arguments import Named, Value

# Flags that stand once for each value of a list.
REPEATED = ("log", "require", "set", "spread", "tolerance", "trace", "upgrade")


class Flags(TypedDict, total=False):
    """Flags of `gardenhose run` with one scheme: inputs of run() and run_many()."""

    topology: Value
    model: Value
    from_: Value
    scheme: Value
    nodes: Value
    gpus_per_node: Value
    node_placement: Value
    traffic: Value
    sequence: Value
    tp: Value
    pp: Value
    cp: Value
    cp_exchange: Value
    cp_heads: Value
    ep: Value
    etp: Value
    dispatcher: Value
    dispatch_sms: Value
    virtual_stages: Value
    count_ends: Value
    stage_layers: Value
    placement: Value
    micro_batch: Value
    accumulation: Value
    global_batch: Value
    sequence_parallel: Value
    recompute: Value
    offload_activations: Value
    routing: Value
    capacity_factor: Value
    zero: Value
    hybrid_shard: Value
    reshard: Value
    unit_layers: Value
    prefetch: Value
    backward_prefetch: Value
    gradient_sync: Value
    offload_weights: Value
    stack: Value
    attention: Value
    kernels: Value
    cuda_graphs: Value
    power_throttling: Value
    loss: Value
    precision: Value
    weight_precision: Value
    optimizer: Value
    optimizer_state: Value
    optimizer_precision: Value
    gradient_precision: Value
    overlap: Value
    bucket_size: Value
    algorithm: Value
    protocol: Value
    nccl: Value
    calibration: Value
    codec_time: Value
    host_codecs: Value
    host_issue: Value
    step_by_step: bool
    each_kernel: bool
    whole: bool
    set: Named
    inner_scheme: Value
    deadline: Value
    balance: Value
    reliability: Value
    tokens: Value
    baseline: Value
    tune: bool
    break_even: bool
    range: Value
    jobs: Value
    perfetto: Value
    kineto: Value
    perfetto_ranks: Value
    month: Value
    require_fit: bool
