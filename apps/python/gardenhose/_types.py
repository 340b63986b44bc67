# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""What run() takes and returns, for editors and type checkers."""

from typing import Any, Dict, List, Optional, TypedDict, Union

from ._arguments import Value

# None where it was not asked for, or has no end: so a type checker lets each be anything, too.
Number = Union[float, Any]
Count = Union[int, Any]
Text = Union[str, Any]
Truth = Union[bool, Any]


class BySite(TypedDict, total=False):
    """One of `by_site`."""

    site: Text
    count: Count
    gpu: Text
    gpus: Count
    inner_scheme: Text
    tensor_parallel: Count
    pipeline_parallel: Count
    zero_stage: Count
    hybrid_shard: Count
    micro_batch: Count
    accumulation: Count
    inner_steps: Count
    inner_step_s: Number  # s
    slowdown_beside_traffic: Number  # ratio
    sent_bytes: Number  # B
    received_bytes: Number  # B
    memory_per_gpu_bytes: Number  # B
    fits_memory: Truth
    host_memory_per_node_bytes: Number  # B


class BusiestLinks(TypedDict, total=False):
    """One of `busiest_links`."""

    link: Text
    set_by: Text
    busy: Number  # share


class Sensitivity(TypedDict, total=False):
    """`sensitivity`."""

    compute: Number
    network: Number
    codecs: Number
    slower_host: Number
    faster_host: Number


class Pareto(TypedDict, total=False):
    """`pareto`."""

    sends_plain: Truth
    error: Number
    on_front: Truth


class Report(TypedDict, total=False):
    """One scheme's results, the JSON of `gardenhose run`."""

    topology: Text
    model: Text
    scheme: Text
    calibration: Text
    inner_scheme: Text
    sites: Count
    gpus: Count
    node_placement: Text
    data_parallel: Count
    tensor_parallel: Count
    pipeline_parallel: Count
    zero_stage: Count
    hybrid_shard: Count
    micro_batch: Count
    accumulation: Count
    global_batch: Count
    sequence: Count
    precision: Text
    weight_precision: Text
    gradient_precision: Text
    optimizer: Text
    optimizer_state: Text
    recompute: Text
    overlap: Text
    inner_steps: Count
    across_every: Count
    fragments: Count
    overlap_steps: Count
    outcome: Text
    round_time_s: Number  # s
    step_time_s: Number  # s
    tokens_per_s: Number  # tokens/s
    tflops_per_gpu: Number
    mfu: Number  # share
    compute_utilisation: Number  # share
    exchange_after_round_s: Number  # s
    time_site: Text
    compute_s: Number  # s
    exposed_comm_s: Number  # s
    codec_s: Number  # s
    host_s: Number  # s
    bubble_s: Number  # s
    optimizer_s: Number  # s
    other_s: Number  # s
    wire_bytes_intra_node: Number  # B
    wire_bytes_inter_node: Number  # B
    wire_bytes_wan: Number  # B
    bits_per_parameter: Number
    compression_ratio_fp32: Number  # ratio
    compression_ratio_bf16: Number  # ratio
    gradient_exchange_s: Number  # s
    memory_per_gpu_bytes: Number  # B
    fits_memory: Truth
    egress_usd: Number  # USD
    link_usd: Number  # USD
    energy_j: Number  # J
    usd_per_million_tokens: Number  # USD
    tokens_per_s_low: Number  # tokens/s
    tokens_per_s_high: Number  # tokens/s
    usd_per_million_tokens_low: Number  # USD
    usd_per_million_tokens_high: Number  # USD
    reliability: Text
    goodput: Number  # share
    goodput_low: Number  # share
    goodput_high: Number  # share
    checkpoint_share: Number  # share
    detection_share: Number  # share
    restart_share: Number  # share
    repair_share: Number  # share
    recomputed_share: Number  # share
    job_mtbf_s: Number  # s
    spare_nodes: Count
    interruption_span_s: Number  # s
    interruptions: Number
    interruptions_low: Number
    interruptions_high: Number
    checkpoint_bytes: Number  # B
    checkpoint_stall_s: Number  # s
    checkpoint_write_s: Number  # s
    checkpoint_load_s: Number  # s
    checkpoint_interval_s: Number  # s
    young_interval_s: Number  # s
    daly_interval_s: Number  # s
    tokens_per_day: Number
    tokens_per_day_low: Number
    tokens_per_day_high: Number
    members: Number
    leaves_per_day: Number
    kept_tokens_per_s: Number  # tokens/s
    kept_tokens_per_s_low: Number  # tokens/s
    kept_tokens_per_s_high: Number  # tokens/s
    expected_tokens_per_s: Number  # tokens/s
    kept_share: Number  # share
    lost_share: Number  # share
    waited_share: Number  # share
    idle_share: Number  # share
    kept_usd_per_million_tokens: Number  # USD
    undone_share: Number  # share
    saved_share: Number  # share
    target_tokens: Number
    training_days: Number  # days
    training_days_low: Number  # days
    training_days_high: Number  # days
    training_usd: Number  # USD
    training_usd_low: Number  # USD
    training_usd_high: Number  # USD
    speedup: Number  # ratio
    speedup_low: Number  # ratio
    speedup_high: Number  # ratio
    verdict: Text
    baseline: Text
    baseline_fits_memory: Truth
    flags: Text
    baseline_flags: Text
    pays_at_nic_Bps: Number  # B/s
    loses_at_nic_Bps: Number  # B/s
    break_even_low_nic_Bps: Number  # B/s
    break_even_high_nic_Bps: Number  # B/s
    host_memory_per_node_bytes: Number  # B
    parameters: Count
    active_parameters: Count
    active_parameters_without_embedding: Count
    attention_parameters: Count
    feed_forward_parameters: Count
    expert_parameters: Count
    norm_parameters: Count
    embedding_parameters: Count
    prediction_parameters: Count
    flop_per_token: Number
    flop_per_token_causal: Number
    context_parallel: Count
    expert_parallel: Count
    expert_tensor_parallel: Count
    offload_activations: Text
    by_site: List[BySite]
    busiest_links: List[BusiestLinks]
    sensitivity: Sensitivity
    pareto: Pareto
    schema_version: int
    exposed_comm_by_phase_s: Dict[str, float]
    wire_bytes_by_phase: Dict[str, Dict[str, float]]
    events: List[str]
    memory_by_part_bytes: Dict[str, float]
    bound: str
    codec_error: Dict[str, Optional[float]]
    sources: Dict[str, str]


class Flags(TypedDict, total=False):
    """Flags of `gardenhose run` as keywords, without `scheme`."""

    topology: Value
    model: Value
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
    stack: Value
    attention: Value
    kernels: Value
    cuda_graphs: Value
    loss: Value
    precision: Value
    weight_precision: Value
    optimizer: Value
    optimizer_state: Value
    gradient_precision: Value
    overlap: Value
    bucket_size: Value
    algorithm: Value
    protocol: Value
    calibration: Value
    codec_time: Value
    host_issue: Value
    step_by_step: bool
    each_kernel: bool
    whole: bool
    set: Value
    inner_scheme: Value
    host_codecs: Value
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
