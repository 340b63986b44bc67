# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""What run() returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional

from .._results import Record
from .units import (Number, Count, Text, Truth, Seconds, Bytes, BytesPerSecond, Joules, Dollars,
                    TokensPerSecond, Ratio, Share, Days)


class BySite(Record):
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
    inner_step_s: Seconds
    slowdown_beside_traffic: Ratio
    sent_bytes: Bytes
    received_bytes: Bytes
    memory_per_gpu_bytes: Bytes
    fits_memory: Truth
    host_memory_per_node_bytes: Bytes

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "site", "count", "gpu", "gpus", "inner_scheme", "tensor_parallel", "pipeline_parallel",
            "zero_stage", "hybrid_shard", "micro_batch", "accumulation", "inner_steps",
            "inner_step_s", "slowdown_beside_traffic", "sent_bytes", "received_bytes",
            "memory_per_gpu_bytes", "fits_memory", "host_memory_per_node_bytes"
        ]) -> Any: ...


class BusiestLinks(Record):
    """One of `busiest_links`."""

    link: Text
    set_by: Text
    busy: Share

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "link", "set_by", "busy"
        ]) -> Any: ...


class Sensitivity(Record):
    """`sensitivity`."""

    compute: Number
    network: Number
    codecs: Number
    slower_host: Number
    faster_host: Number
    slower_network: Number

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "compute", "network", "codecs", "slower_host", "faster_host", "slower_network"
        ]) -> Any: ...


class Pareto(Record):
    """`pareto`."""

    sends_plain: Truth
    error: Number
    on_front: Truth

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "sends_plain", "error", "on_front"
        ]) -> Any: ...


class Report(Record):
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
    round_time_s: Seconds
    step_time_s: Seconds
    tokens_per_s: TokensPerSecond
    tflops_per_gpu: Number
    mfu: Share
    compute_utilisation: Share
    exchange_after_round_s: Seconds
    time_site: Text
    compute_s: Seconds
    exposed_comm_s: Seconds
    codec_s: Seconds
    host_s: Seconds
    bubble_s: Seconds
    optimizer_s: Seconds
    other_s: Seconds
    wire_bytes_intra_node: Bytes
    wire_bytes_inter_node: Bytes
    wire_bytes_wan: Bytes
    bits_per_parameter: Number
    compression_ratio_fp32: Ratio
    compression_ratio_bf16: Ratio
    gradient_exchange_s: Seconds
    memory_per_gpu_bytes: Bytes
    fits_memory: Truth
    egress_usd: Dollars
    link_usd: Dollars
    energy_j: Joules
    usd_per_million_tokens: Dollars
    tokens_per_s_low: TokensPerSecond
    tokens_per_s_high: TokensPerSecond
    usd_per_million_tokens_low: Dollars
    usd_per_million_tokens_high: Dollars
    reliability: Text
    goodput: Share
    goodput_low: Share
    goodput_high: Share
    checkpoint_share: Share
    detection_share: Share
    restart_share: Share
    repair_share: Share
    recomputed_share: Share
    job_mtbf_s: Seconds
    spare_nodes: Count
    interruption_span_s: Seconds
    interruptions: Number
    interruptions_low: Number
    interruptions_high: Number
    checkpoint_bytes: Bytes
    checkpoint_stall_s: Seconds
    checkpoint_write_s: Seconds
    checkpoint_load_s: Seconds
    checkpoint_interval_s: Seconds
    young_interval_s: Seconds
    daly_interval_s: Seconds
    tokens_per_day: Number
    tokens_per_day_low: Number
    tokens_per_day_high: Number
    members: Number
    leaves_per_day: Number
    kept_tokens_per_s: TokensPerSecond
    kept_tokens_per_s_low: TokensPerSecond
    kept_tokens_per_s_high: TokensPerSecond
    expected_tokens_per_s: TokensPerSecond
    kept_share: Share
    lost_share: Share
    waited_share: Share
    idle_share: Share
    kept_usd_per_million_tokens: Dollars
    undone_share: Share
    saved_share: Share
    target_tokens: Number
    training_days: Days
    training_days_low: Days
    training_days_high: Days
    training_usd: Dollars
    training_usd_low: Dollars
    training_usd_high: Dollars
    speedup: Ratio
    speedup_low: Ratio
    speedup_high: Ratio
    verdict: Text
    baseline: Text
    baseline_fits_memory: Truth
    flags: Text
    baseline_flags: Text
    pays_at_nic_Bps: BytesPerSecond
    loses_at_nic_Bps: BytesPerSecond
    break_even_low_nic_Bps: BytesPerSecond
    break_even_high_nic_Bps: BytesPerSecond
    host_memory_per_node_bytes: Bytes
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

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "topology", "model", "scheme", "calibration", "inner_scheme", "sites", "gpus",
            "node_placement", "data_parallel", "tensor_parallel", "pipeline_parallel", "zero_stage",
            "hybrid_shard", "micro_batch", "accumulation", "global_batch", "sequence", "precision",
            "weight_precision", "gradient_precision", "optimizer", "optimizer_state", "recompute",
            "overlap", "inner_steps", "across_every", "fragments", "overlap_steps", "outcome",
            "round_time_s", "step_time_s", "tokens_per_s", "tflops_per_gpu", "mfu",
            "compute_utilisation", "exchange_after_round_s", "time_site", "compute_s",
            "exposed_comm_s", "codec_s", "host_s", "bubble_s", "optimizer_s", "other_s",
            "wire_bytes_intra_node", "wire_bytes_inter_node", "wire_bytes_wan",
            "bits_per_parameter", "compression_ratio_fp32", "compression_ratio_bf16",
            "gradient_exchange_s", "memory_per_gpu_bytes", "fits_memory", "egress_usd", "link_usd",
            "energy_j", "usd_per_million_tokens", "tokens_per_s_low", "tokens_per_s_high",
            "usd_per_million_tokens_low", "usd_per_million_tokens_high", "reliability", "goodput",
            "goodput_low", "goodput_high", "checkpoint_share", "detection_share", "restart_share",
            "repair_share", "recomputed_share", "job_mtbf_s", "spare_nodes", "interruption_span_s",
            "interruptions", "interruptions_low", "interruptions_high", "checkpoint_bytes",
            "checkpoint_stall_s", "checkpoint_write_s", "checkpoint_load_s",
            "checkpoint_interval_s", "young_interval_s", "daly_interval_s", "tokens_per_day",
            "tokens_per_day_low", "tokens_per_day_high", "members", "leaves_per_day",
            "kept_tokens_per_s", "kept_tokens_per_s_low", "kept_tokens_per_s_high",
            "expected_tokens_per_s", "kept_share", "lost_share", "waited_share", "idle_share",
            "kept_usd_per_million_tokens", "undone_share", "saved_share", "target_tokens",
            "training_days", "training_days_low", "training_days_high", "training_usd",
            "training_usd_low", "training_usd_high", "speedup", "speedup_low", "speedup_high",
            "verdict", "baseline", "baseline_fits_memory", "flags", "baseline_flags",
            "pays_at_nic_Bps", "loses_at_nic_Bps", "break_even_low_nic_Bps",
            "break_even_high_nic_Bps", "host_memory_per_node_bytes", "parameters",
            "active_parameters", "active_parameters_without_embedding", "attention_parameters",
            "feed_forward_parameters", "expert_parameters", "norm_parameters",
            "embedding_parameters", "prediction_parameters", "flop_per_token",
            "flop_per_token_causal", "context_parallel", "expert_parallel",
            "expert_tensor_parallel", "offload_activations", "by_site", "busiest_links",
            "sensitivity", "pareto", "schema_version", "exposed_comm_by_phase_s",
            "wire_bytes_by_phase", "events", "memory_by_part_bytes", "bound", "codec_error",
            "sources"
        ]) -> Any: ...
