# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""plan(), and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Literal, Mapping, Optional

from .._arguments import Named, Values
from .._call import one, simulated
from .._results import Record
from .units import (Number, Count, Text, Truth, Seconds, Bytes, BytesPerSecond, Joules, Dollars,
                    TokensPerSecond)


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


def plan(inputs: Optional[Mapping[str, object]] = None, *, topology: Optional[Values] = None,
         model: Optional[Values] = None, from_: Optional[Values] = None,
         scheme: Optional[Values] = None, nodes: Optional[Values] = None,
         gpus_per_node: Optional[Values] = None, node_placement: Optional[Values] = None,
         traffic: Optional[Values] = None, sequence: Optional[Values] = None,
         tp: Optional[Values] = None, pp: Optional[Values] = None, cp: Optional[Values] = None,
         cp_exchange: Optional[Values] = None, cp_heads: Optional[Values] = None,
         ep: Optional[Values] = None, etp: Optional[Values] = None,
         dispatcher: Optional[Values] = None, dispatch_sms: Optional[Values] = None,
         virtual_stages: Optional[Values] = None, count_ends: Optional[Values] = None,
         stage_layers: Optional[Values] = None, placement: Optional[Values] = None,
         micro_batch: Optional[Values] = None, sequence_parallel: Optional[Values] = None,
         recompute: Optional[Values] = None, offload_activations: Optional[Values] = None,
         routing: Optional[Values] = None, capacity_factor: Optional[Values] = None,
         zero: Optional[Values] = None, reshard: Optional[Values] = None,
         unit_layers: Optional[Values] = None, prefetch: Optional[Values] = None,
         backward_prefetch: Optional[Values] = None, gradient_sync: Optional[Values] = None,
         offload_weights: Optional[Values] = None, stack: Optional[Values] = None,
         attention: Optional[Values] = None, kernels: Optional[Values] = None,
         cuda_graphs: Optional[Values] = None, power_throttling: Optional[Values] = None,
         loss: Optional[Values] = None, precision: Optional[Values] = None,
         weight_precision: Optional[Values] = None, optimizer: Optional[Values] = None,
         optimizer_state: Optional[Values] = None, optimizer_precision: Optional[Values] = None,
         gradient_precision: Optional[Values] = None, overlap: Optional[Values] = None,
         bucket_size: Optional[Values] = None, algorithm: Optional[Values] = None,
         protocol: Optional[Values] = None, nccl: Optional[Values] = None,
         calibration: Optional[Values] = None, codec_time: Optional[Values] = None,
         host_codecs: Optional[Values] = None, host_issue: Optional[Values] = None,
         step_by_step: Optional[bool] = None, each_kernel: Optional[bool] = None,
         whole: Optional[bool] = None, set: Optional[Named] = None,
         reliability: Optional[Values] = None, tokens: Optional[Values] = None,
         goal: Optional[Values] = None, deadline: Optional[Values] = None,
         budget: Optional[Values] = None, confidence: Optional[Values] = None,
         share: Optional[Values] = None, nic_bandwidths: Optional[Values] = None,
         inner_scheme: Optional[Values] = None, batch_tokens: Optional[Values] = None,
         memory_headroom: Optional[Values] = None, critical_batch: Optional[Values] = None,
         electricity: Optional[Values] = None, prices: Optional[Values] = None,
         spot: Optional[bool] = None, parts: Optional[Values] = None, buy: Optional[bool] = None,
         upgrade: Optional[Named] = None, all: Optional[bool] = None, setups: Optional[bool] = None,
         gap: Optional[Values] = None, exhaustive: Optional[bool] = None,
         jobs: Optional[Values] = None) -> Plans:
    """Finds the best plans for training a model on a given number of tokens: the cheapest, the
    fastest, or those with the smallest network.

    The search covers the number of nodes, NIC bandwidth, tensor and pipeline parallelism (with
    sequence parallelism, virtual stages and placement), scheme, ZeRO stage, hybrid sharding,
    resharding, micro-batch size, recomputation, and the precision of gradients and gathered
    weights.

    Of each choice of hardware (nodes and NICs, or sites), with and without compression, it finds
    the best plan, and lists those that no other one beats: a plan is beaten if another one is
    cheaper and no slower, or faster and no dearer. Each comes with its price, time, energy, memory
    and bottleneck, and the command that simulates a step of it. The first one is the one to take:
    plans that differ by less than predictions can tell are alike in what the goal asks for, then in
    the other of price and time, and of those that are alike in both it is the simplest: the fewest
    sites and GPUs, no compression, the fewest kinds of parallelism, the slowest NICs. The lines
    below it say what the next plan loses by and whether compression pays. The likely ranges of time
    and price hold eight cases of ten, as far as the spreads of the constants are known. With
    reliability, the plans also show what failures leave of their time and what that costs; the
    ranking does not depend on it, but the probabilities of keeping a deadline or a budget do.

    Flags:
        scheme: scheme for weights and gradients: a shipped name or a file; to compare several,
            separate them with commas. 'all' means every shipped scheme that the setup allows: with
            zero, schemes defined for that stage; between sites, schemes that use object storage are
            included only if there is a [store] table (default: chosen)
        nodes: node counts to choose from, e.g. 4,8,16 (default: powers of two, up to all)
        tp: tensor parallelism: ranks that share each layer (default: chosen)
        pp: pipeline parallelism: stages, in a 1F1B schedule (default: chosen)
        cp: context parallelism: ranks that share each sequence (default: chosen)
        ep: expert parallelism: ranks of a stage that hold other experts; tp x cp x dp ranks are etp
            x ep x edp, and edp of them hold the same experts (default: chosen)
        etp: ranks that split each expert (default: chosen)
        virtual_stages: layer chunks per pipeline stage, for an interleaved 1F1B schedule (default:
            chosen)
        placement: order of ranks: tp, dp and pp in any order, and cp, else behind tp; ranks of the
            group named first are placed on neighbouring GPUs; experts divide the ranks of a stage
            from neighbours on (default: chosen)
        micro_batch: sequences per micro-batch (default: chosen)
        sequence_parallel: on|off: sequence parallelism: split norms and dropout across the
            tensor-parallel ranks (default: chosen)
        recompute: activation recomputation: none; selective: core attention; alternate: everything
            except attention and every second matrix product; projections: everything except the
            projections to queries, keys and values; experts: blocks of experts alone; full: every
            layer (default: chosen)
        zero: ZeRO stage, i.e. the state that data-parallel ranks shard. 0: nothing (plain data
            parallelism); 1: optimizer states (Megatron's distributed optimizer); 2: also gradients;
            3: also weights (FSDP) (default: chosen)
        reshard: on|off: free gathered weights after the forward pass; off is SHARD_GRAD_OP
            (default: chosen)
        weight_precision: bf16|fp8: precision of the weights that ZeRO-3 gathers; fp8 needs
            precision fp8 (default: chosen)
        gradient_precision: fp32|bf16: precision of uncompressed reductions and of the gradient
            buffer (ZeRO-3's shards have the precision of the weights that the optimizer updates)
            (default: chosen)
        overlap: communication to overlap with compute: none, all, or any of gradients, weights,
            tensor, pipeline, experts (rows to experts beside shared experts) and batches (a forward
            and a backward pass of two micro-batches at once, not part of all), separated by commas
            (default: chosen)
        reliability: how often parts fail and how the job recovers: a shipped name, e.g.
            llama3_h100, or a file. Adds the goodput, the share of the time whose training is kept,
            with the best interval between checkpoints
        tokens: tokens to train on, e.g. 15T or 1e12
        goal: cheapest: the lowest price; fastest: the shortest time; smallest-network: the slowest
            NICs, then the lowest price, with which training reaches share of the speed that the
            same nodes have with an unlimited network (default: cheapest)
        deadline: maximum training time, e.g. "30 days", which a plan has to keep with a probability
            of confidence; near misses are listed last
        budget: maximum price, e.g. '$3M' or "3 MUSD", which a plan has to keep likewise
        confidence: probability with which a plan has to keep deadline and budget (default: 0.8)
        share: fraction of full speed that goal smallest-network must reach (default: 0.9)
        nic_bandwidths: NIC bandwidths to choose from, separated by commas (default: the
            topology's); what is not sold, or is faster than the slots of the hosts, is left out
        inner_scheme: schemes to choose from within each site, separated by commas (default:
            sharded); scheme lists the schemes between sites
        batch_tokens: tokens per step, rounded up to the same number of sequences for each replica;
            the default is 4Mi, 4M is 4000000 (default: 4194304)
        memory_headroom: share of a GPU's memory that a setup must leave free besides what is
            predicted, which includes fragmentation, NCCL's buffers and the CUDA context (default:
            0)
        critical_batch: critical batch size: TOKENS per step beyond which a larger batch saves
            hardly any steps, as estimated by the gradient noise scale (McCandlish et al. 2018,
            arXiv:1812.06162). Larger steps are marked: price and time are for tokens, but reaching
            the same loss may take more tokens
        electricity: electricity price for the GPUs, e.g. "0.08 USD/kWh" (default: not counted)
        prices: file of one's own prices: GPU hours, storage, electricity, and hours in which
            nothing trains (default: gpu.price of the topology)
        spot: GPUs at the spot prices of prices, whose nodes are taken back now and then; with
            reliability
        parts: file of switch ports, prices and watts, as of bom: adds what each plan's network
            costs to buy and what it draws
        buy: prices are what the cluster costs to buy, by node.price and the rest of parts, with the
            power of its years of use: with tokens and deadline "1 day", the cluster that trains so
            many tokens a day
        upgrade: KEY=VALUE of the topology's file, e.g. network.oversubscription=1: what it gains
            for the plan to take, and, with parts, what it costs to buy and when it has paid for
            itself
        all: also list plans that another one beats: dearer and no faster, or slower and no cheaper
        setups: list the ten best setups instead, however alike
        gap: a plan is found once no setup of its kind can be faster by more than this fraction; 0
            searches exactly, as setups does (default: 0.02)
        exhaustive: simulate every setup that fits in memory: a check, for small searches
        jobs: simulations to run at once (default: all cores, or the cores that Slurm allots)

    As of run(): topology, model, from_, gpus_per_node, node_placement, traffic, sequence,
    cp_exchange, cp_heads, dispatcher, dispatch_sms, count_ends, stage_layers, offload_activations,
    routing, capacity_factor, unit_layers, prefetch, backward_prefetch, gradient_sync,
    offload_weights, stack, attention, kernels, cuda_graphs, power_throttling, loss, precision,
    optimizer, optimizer_state, optimizer_precision, bucket_size, algorithm, protocol, nccl,
    calibration, codec_time, host_codecs, host_issue, step_by_step, each_kernel, whole, set.

    Returns Plans, the best first: `plans`.
    """
    return one(Plans, "plan", locals())
