# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""What the commands take and return, for editors and type checkers."""

from typing import TYPE_CHECKING, Any, Dict, List, Optional, TypedDict, Union

from ._arguments import Named, Value, Values
from ._results import Record

if TYPE_CHECKING:
    from typing import Literal

# None where it was not asked for, or has no end: so a type checker lets each be anything, too.
Number = Union[float, Any]
Count = Union[int, Any]
Text = Union[str, Any]
Truth = Union[bool, Any]
Seconds = Number
Bytes = Number
BytesPerSecond = Number
Joules = Number
Watts = Number
Dollars = Number
TokensPerSecond = Number
Ratio = Number
Share = Number
Days = Number
# Flags that stand once for each value of a list.
REPEATED = ("log", "require", "set", "spread", "tolerance", "trace", "upgrade")


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

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "compute", "network", "codecs", "slower_host", "faster_host"
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


class MapPoint(Record):
    """A result of `gardenhose map`."""

    topology: Text
    gpus: Count
    model: Text
    nic_bandwidth_Bps: BytesPerSecond
    tensor_parallel: Count
    pipeline_parallel: Count
    global_batch: Count
    sequence: Count
    fastest: Text
    pays: Truth
    verdict: Text
    speedup: Number
    speedup_low: Number
    speedup_high: Number
    uncompressed: Text
    uncompressed_step_time_s: Seconds
    uncompressed_fits_memory: Truth
    uncompressed_flags: Text
    compressed: Text
    compressed_step_time_s: Seconds
    compressed_fits_memory: Truth
    compressed_flags: Text
    x_input: Text
    x: Text
    y_input: Text
    y: Text
    uncompressed_tokens_per_s: TokensPerSecond
    uncompressed_needs: Text
    compressed_tokens_per_s: TokensPerSecond
    compressed_needs: Text
    x_number: Number
    y_number: Number

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "topology", "gpus", "model", "nic_bandwidth_Bps", "tensor_parallel",
            "pipeline_parallel", "global_batch", "sequence", "fastest", "pays", "verdict",
            "speedup", "speedup_low", "speedup_high", "uncompressed", "uncompressed_step_time_s",
            "uncompressed_fits_memory", "uncompressed_flags", "compressed",
            "compressed_step_time_s", "compressed_fits_memory", "compressed_flags", "x_input", "x",
            "y_input", "y", "uncompressed_tokens_per_s", "uncompressed_needs",
            "compressed_tokens_per_s", "compressed_needs", "x_number", "y_number"
        ]) -> Any: ...


class PlansSearch(Record):
    """`search`."""

    exhaustive: Truth
    gap: Number
    setups: Count
    too_large: Count
    planned: Count
    simulated: Count
    rounds: Count

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "exhaustive", "gap", "setups", "too_large", "planned", "simulated", "rounds"
        ]) -> Any: ...


class PlansCompression(Record):
    """One of `compression`."""

    scheme: Text
    baseline: Text
    nic_bandwidth_Bps: BytesPerSecond
    speedup: Number
    pays: Truth
    commands: List[Text]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "scheme", "baseline", "nic_bandwidth_Bps", "speedup", "pays", "commands"
        ]) -> Any: ...


class PlansNextDollar(Record):
    """One of `next_dollar`."""

    name: Text
    sensitivity: Number
    saves_usd: Dollars
    costs_usd: Dollars

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "name", "sensitivity", "saves_usd", "costs_usd"
        ]) -> Any: ...


class PlansUpgrades(Record):
    """One of `upgrades`."""

    set: Text
    speedup: Number
    saves_usd: Dollars
    costs_usd: Dollars
    payback_s: Seconds

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "set", "speedup", "saves_usd", "costs_usd", "payback_s"
        ]) -> Any: ...


class Plan(Record):
    """One of `plans`."""

    nodes: Count
    gpus: Count
    nic_bandwidth_Bps: BytesPerSecond
    scheme: Text
    data_parallel: Count
    tensor_parallel: Count
    pipeline_parallel: Count
    zero_stage: Count
    hybrid_shard: Count
    micro_batch: Count
    accumulation: Count
    recompute: Text
    step_tokens: Number
    over_critical_batch: Truth
    step_time_s: Seconds
    tokens_per_s: TokensPerSecond
    training_time_s: Seconds
    price_usd: Dollars
    gpu_price_usd: Dollars
    network_price_usd: Dollars
    power_price_usd: Dollars
    storage_price_usd: Dollars
    idle_price_usd: Dollars
    tokens_per_s_low: TokensPerSecond
    tokens_per_s_high: TokensPerSecond
    training_time_s_low: Seconds
    training_time_s_high: Seconds
    price_usd_low: Dollars
    price_usd_high: Dollars
    energy_j: Joules
    mfu: Number
    memory_per_gpu_bytes: Bytes
    optimizer_state: Text
    speed_share: Any
    compute_s: Seconds
    exposed_comm_s: Seconds
    codec_s: Seconds
    host_s: Seconds
    bubble_s: Seconds
    optimizer_s: Seconds
    other_s: Seconds
    bound: Text
    context_parallel: Count
    expert_parallel: Count
    expert_tensor_parallel: Count
    command: Text
    why_not: Text
    topology: Text
    deadline_probability: Number
    budget_probability: Any
    keeps_limits: Truth
    sites: Text
    inner_steps: Count
    inner_scheme: Text
    round_time_s: Seconds
    egress_price_usd: Dollars
    utilisation: Number

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "nodes", "gpus", "nic_bandwidth_Bps", "scheme", "data_parallel", "tensor_parallel",
            "pipeline_parallel", "zero_stage", "hybrid_shard", "micro_batch", "accumulation",
            "recompute", "step_tokens", "over_critical_batch", "step_time_s", "tokens_per_s",
            "training_time_s", "price_usd", "gpu_price_usd", "network_price_usd", "power_price_usd",
            "storage_price_usd", "idle_price_usd", "tokens_per_s_low", "tokens_per_s_high",
            "training_time_s_low", "training_time_s_high", "price_usd_low", "price_usd_high",
            "energy_j", "mfu", "memory_per_gpu_bytes", "optimizer_state", "speed_share",
            "compute_s", "exposed_comm_s", "codec_s", "host_s", "bubble_s", "optimizer_s",
            "other_s", "bound", "context_parallel", "expert_parallel", "expert_tensor_parallel",
            "command", "why_not", "topology", "deadline_probability", "budget_probability",
            "keeps_limits", "sites", "inner_steps", "inner_scheme", "round_time_s",
            "egress_price_usd", "utilisation"
        ]) -> Any: ...


class Plans(Record):
    """A result of `gardenhose plan`."""

    topology: Text
    model: Text
    goal: Text
    tokens: Number
    deadline_s: Seconds
    budget_usd: Dollars
    confidence: Number
    share: Any
    met: Truth
    not_told_apart: Count
    beaten: Count
    does_not_fit: List[Any]
    not_counted: List[Text]
    search: PlansSearch
    not_built: List[Any]
    compression: List[PlansCompression]
    next_dollar: List[PlansNextDollar]
    upgrades: List[PlansUpgrades]
    plans: List[Plan]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "topology", "model", "goal", "tokens", "deadline_s", "budget_usd", "confidence",
            "share", "met", "not_told_apart", "beaten", "does_not_fit", "not_counted", "search",
            "not_built", "compression", "next_dollar", "upgrades", "plans"
        ]) -> Any: ...


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


class PairsTime(Record):
    """One of `classes`."""

    way: Text
    switches: Count
    pairs: Count
    to: Count
    fastest_s: Seconds
    slowest_s: Seconds

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "way", "switches", "pairs", "from", "to", "fastest_s", "slowest_s"
        ]) -> Any: ...


class CollectiveTime(Record):
    """A result of `gardenhose collective`."""

    collective: Text
    topology: Text
    gpus: Count
    groups: Count
    size_bytes: Bytes
    time_s: Any
    algorithm_bandwidth_Bps: BytesPerSecond
    bus_bandwidth_Bps: BytesPerSecond
    algorithm: Text
    protocol: Text
    bounded_by: Text
    latency_share: Number
    busiest_link: Text
    busiest_link_set_by: Text
    busiest_link_busy_share: Number
    links_as_busy: Count
    codec: Text
    uncompressed_value_bytes: Bytes
    uncompressed_time_s: Seconds
    compressed_time_s: Seconds
    encode_s: Seconds
    exchange_s: Seconds
    decode_s: Seconds
    encoded_bytes: Bytes
    speedup: Number
    pays: Truth
    pays_from_bytes: Bytes
    kernel_times: Text
    message_bytes: Bytes
    at_once: Truth
    classes: List[PairsTime]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "collective", "topology", "gpus", "groups", "size_bytes", "time_s",
            "algorithm_bandwidth_Bps", "bus_bandwidth_Bps", "algorithm", "protocol", "bounded_by",
            "latency_share", "busiest_link", "busiest_link_set_by", "busiest_link_busy_share",
            "links_as_busy", "codec", "uncompressed_value_bytes", "uncompressed_time_s",
            "compressed_time_s", "encode_s", "exchange_s", "decode_s", "encoded_bytes", "speedup",
            "pays", "pays_from_bytes", "kernel_times", "message_bytes", "at_once", "classes"
        ]) -> Any: ...


class FitLogs(Record):
    """One of `logs`."""

    log: Text
    collective: Text
    nodes: Count
    gpus_per_node: Count
    times: Count

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "log", "collective", "nodes", "gpus_per_node", "times"
        ]) -> Any: ...


class FitConstants(Record):
    """One of `constants`."""

    key: Text
    unit: Text
    fitted: Number
    low: Number
    high: Number
    bound: Truth
    base: Number
    kept: Text

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "key", "unit", "fitted", "low", "high", "bound", "base", "kept"
        ]) -> Any: ...


class FitErrorsFit(Record):
    """`fit`."""

    count: Count
    mean: Number
    worst: Number
    worst_bytes: Bytes

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "count", "mean", "worst", "worst_bytes"
        ]) -> Any: ...


class FitErrors(Record):
    """`errors`."""

    fit: FitErrorsFit
    fit_without_size: FitErrorsFit
    base: FitErrorsFit
    alpha_beta: FitErrorsFit
    alpha_beta_without_size: FitErrorsFit

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "fit", "fit_without_size", "base", "alpha_beta", "alpha_beta_without_size"
        ]) -> Any: ...


class FitCarries(Record):
    """`carries`."""

    gpus: List[Count]
    nodes: List[Count]
    error_to_most_gpus: Any
    text: List[Text]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "gpus", "nodes", "error_to_most_gpus", "text"
        ]) -> Any: ...


class Fit(Record):
    """A result of `gardenhose fit`."""

    schema_version: Count
    base: Text
    logs: List[FitLogs]
    constants: List[FitConstants]
    errors: FitErrors
    carries: FitCarries
    warnings: List[Any]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "schema_version", "base", "logs", "constants", "errors", "carries", "warnings"
        ]) -> Any: ...


class PartsListLines(Record):
    """One of `lines`."""

    part: Text
    where: Text
    count: Count
    price_each_USD: Dollars
    price_USD: Dollars
    power_each_W: Watts
    power_W: Watts

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "part", "where", "count", "price_each_USD", "price_USD", "power_each_W", "power_W"
        ]) -> Any: ...


class PartsList(Record):
    """A result of `gardenhose bom`."""

    topology: Text
    nodes: Count
    gpus: Count
    fabric: Text
    fabric_nodes: Count
    fabric_gpus: Count
    parts: Text
    cables_per_switch: Count
    switch_ports: Count
    switch_ports_used: Count
    price_USD: Dollars
    price_per_gpu_USD: Dollars
    power_W: Watts
    power_per_gpu_W: Watts
    lines: List[PartsListLines]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "topology", "nodes", "gpus", "fabric", "fabric_nodes", "fabric_gpus", "parts",
            "cables_per_switch", "switch_ports", "switch_ports_used", "price_USD",
            "price_per_gpu_USD", "power_W", "power_per_gpu_W", "lines"
        ]) -> Any: ...


class Flags(TypedDict, total=False):
    """Flags of `gardenhose run` with one scheme: inputs of run() and run_many()."""

    topology: Value
    model: Value
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
    set: Named
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
