# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""One function for each command."""

from __future__ import annotations

import os
from typing import Any, List, Mapping, Optional, Tuple, Union, overload

from ._arguments import Named, Value, Values
from ._call import one, several, simulated
from ._list import Listed, listed
from ._results import AnyRecord, Records
from ._sweep import Checked, Point, checked, swept
from ._types import (CollectiveTime, Comparison, Fit, Flags, MapPoint, PartsList, Plans, Report,
                     Solution)


@overload
def run(inputs: Optional[Flags] = None, *, topology: Optional[Value] = None,
        model: Optional[Value] = None, scheme: Optional[Value] = None,
        nodes: Optional[Value] = None, gpus_per_node: Optional[Value] = None,
        node_placement: Optional[Value] = None, traffic: Optional[Value] = None,
        sequence: Optional[Value] = None, tp: Optional[Value] = None, pp: Optional[Value] = None,
        cp: Optional[Value] = None, cp_exchange: Optional[Value] = None,
        cp_heads: Optional[Value] = None, ep: Optional[Value] = None, etp: Optional[Value] = None,
        dispatcher: Optional[Value] = None, dispatch_sms: Optional[Value] = None,
        virtual_stages: Optional[Value] = None, count_ends: Optional[Value] = None,
        stage_layers: Optional[Value] = None, placement: Optional[Value] = None,
        micro_batch: Optional[Value] = None, accumulation: Optional[Value] = None,
        global_batch: Optional[Value] = None, sequence_parallel: Optional[Value] = None,
        recompute: Optional[Value] = None, offload_activations: Optional[Value] = None,
        routing: Optional[Value] = None, capacity_factor: Optional[Value] = None,
        zero: Optional[Value] = None, hybrid_shard: Optional[Value] = None,
        reshard: Optional[Value] = None, unit_layers: Optional[Value] = None,
        prefetch: Optional[Value] = None, backward_prefetch: Optional[Value] = None,
        stack: Optional[Value] = None, attention: Optional[Value] = None,
        kernels: Optional[Value] = None, cuda_graphs: Optional[Value] = None,
        loss: Optional[Value] = None, precision: Optional[Value] = None,
        weight_precision: Optional[Value] = None, optimizer: Optional[Value] = None,
        optimizer_state: Optional[Value] = None, gradient_precision: Optional[Value] = None,
        overlap: Optional[Value] = None, bucket_size: Optional[Value] = None,
        algorithm: Optional[Value] = None, protocol: Optional[Value] = None,
        calibration: Optional[Value] = None, codec_time: Optional[Value] = None,
        host_issue: Optional[Value] = None, step_by_step: Optional[bool] = None,
        each_kernel: Optional[bool] = None, whole: Optional[bool] = None,
        set: Optional[Named] = None, inner_scheme: Optional[Value] = None,
        host_codecs: Optional[Value] = None, deadline: Optional[Value] = None,
        balance: Optional[Value] = None, reliability: Optional[Value] = None,
        tokens: Optional[Value] = None, baseline: Optional[Value] = None,
        tune: Optional[bool] = None, break_even: Optional[bool] = None,
        range: Optional[Value] = None, jobs: Optional[Value] = None,
        perfetto: Optional[Value] = None, kineto: Optional[Value] = None,
        perfetto_ranks: Optional[Value] = None, month: Optional[Value] = None,
        require_fit: Optional[bool] = None) -> Report: ...
@overload
def run(inputs: Optional[Mapping[str, object]] = None, *,
        scheme: Union[List[Any], Tuple[Any, ...]], **flags: Named) -> Records[Report]: ...
@overload
def run(inputs: Mapping[str, object], **flags: Named) -> Any: ...
def run(inputs: Optional[Mapping[str, object]] = None, **flags: object) -> Any:
    """Simulates one training step and reports how long it takes and why.

    On a topology of several sites it simulates rounds: inner steps within each site, and the
    exchange between sites.

    Pass the inputs as a dict, by keyword, or both. Keys are flags of `gardenhose run`, micro_batch
    or "micro-batch", or keys of input files: "network.nic_bandwidth": "200 Gbps". Values are texts,
    with a unit where there is one, numbers, paths, and True and False for on and off.

    Flags:
        topology: cluster or sites: a shipped name (see gardenhose list) or a file
        model: model: a shipped name, a file, or a Hugging Face config.json
        scheme: scheme for weights and gradients: a shipped name or a file; to compare several,
            separate them with commas. 'all' means every shipped scheme that the setup allows: with
            zero, schemes defined for that stage; between sites, schemes that use object storage are
            included only if there is a [store] table (default: sharded)
        nodes: use only this many nodes (default: all)
        gpus_per_node: use only this many GPUs per node (default: all)
        node_placement: which nodes of the cluster the job has. packed: the first ones; scattered:
            dealt to the fabric's leaves, pods or groups in turn, as far apart as they can be;
            random or random:SEED; a list such as 0-3,8; or a file with such a list. Ranks are
            numbered in that order (default: packed)
        traffic: file of other jobs on the cluster's fabric and what they send, which takes its
            share of the links
        sequence: tokens per sequence, e.g. 8192 or 8Ki; 8K is refused, as it may mean 8000
            (default: the model's)
        tp: tensor parallelism: ranks that share each layer (default: 1)
        pp: pipeline parallelism: stages, in a 1F1B schedule (default: 1)
        cp: context parallelism: ranks that share each sequence (default: 1)
        cp_exchange: how they attend to all of it: ring: keys and values go round beside attention;
            all_gather: they are gathered before; all_to_all: heads are exchanged for tokens
            (Ulysses) (default: ring)
        cp_heads: neighbours that exchange heads inside the ring or gather of the others (default:
            1)
        ep: expert parallelism: ranks of a stage that hold other experts; tp x cp x dp ranks are etp
            x ep x edp, and edp of them hold the same experts (default: 1)
        etp: ranks that split each expert (default: as many as tp)
        dispatcher: how rows go to experts and back: all_to_all: NCCL's, a row for each of a token's
            experts; deepep, hybridep: once to each node, forwarded over NVLink; deepep-low-latency:
            straight to each expert (default: all_to_all)
        dispatch_sms: SMs that deepep or hybridep is given (default: the library's)
        virtual_stages: layer chunks per pipeline stage, for an interleaved 1F1B schedule (default:
            1)
        count_ends: none|embedding|head|both: which ends count as a layer when layers are divided
            among pipeline stages; the first stages get the layers that are left over (default:
            none)
        stage_layers: layers of each virtual stage in order, e.g. 13*4,5,4 (default: as many in each
            where layers are alike and dense, else divided by their FLOP, the logits included)
        placement: order of ranks: tp, dp and pp in any order, and cp, else behind tp; ranks of the
            group named first are placed on neighbouring GPUs; experts divide the ranks of a stage
            from neighbours on (default: tp-dp-pp)
        micro_batch: sequences per micro-batch (default: 1)
        accumulation: gradient accumulation: micro-batches per step per replica (default: 1)
        global_batch: sequences per step (replaces accumulation)
        sequence_parallel: on|off: sequence parallelism: split norms and dropout across the
            tensor-parallel ranks (default: off)
        recompute: activation recomputation: none; selective: core attention; alternate: everything
            except attention and every second matrix product; projections: everything except the
            projections to queries, keys and values; experts: blocks of experts alone; full: every
            layer (default: selective)
        offload_activations: none|all|LAYERS: layers of each virtual stage, the first ones, whose
            activations go to the hosts' memory after the forward pass and come back before the
            backward one, over the link of gpu.host_bandwidth and beside kernels; e.g. 16 (default:
            none)
        routing: how tokens spread over a model's experts: balanced: the same rows for each; random:
            each token chooses uniformly; cyclic: the next experts each time; power_law:EXPONENT,
            e.g. power_law:1.2: the density of experts' popularity, as AIConfigurator draws it; or a
            file with the load of each expert, one a line (default: balanced)
        capacity_factor: rows of an expert at most so many times the mean; a router drops further
            ones (default: none is dropped)
        zero: ZeRO stage, i.e. the state that data-parallel ranks shard. 0: nothing (plain data
            parallelism); 1: optimizer states (Megatron's distributed optimizer); 2: also gradients;
            3: also weights (FSDP) (default: the stack's, else 1, or the scheme's first stage if it
            is not defined for 1)
        hybrid_shard: hybrid sharding: data-parallel ranks that share one set of shards, e.g. the
            ranks of one node; each group holds a replica (default: all ranks)
        reshard: on|off: free gathered weights after the forward pass; off is SHARD_GRAD_OP
            (default: on)
        unit_layers: layers that ZeRO-3 gathers together (default: 1)
        prefetch: units that ZeRO-3 gathers ahead of the current one (default: 1)
        backward_prefetch: pre|post: in the backward pass, gather the next unit before or after
            computing the gradients of the current one (default: the stack's)
        stack: training software, which sets the defaults of attention, kernels, loss, optimizer,
            overlap, backward_prefetch and zero, and what casts to FP8 and NVFP4 launch: megatron,
            nemo, torch-eager, torch-compile, composer, deepspeed or maxtext; `list stacks`
            describes them (default: megatron; with zero 3, torch-eager)
        attention: unfused: attention materialises its scores in memory;
            flash1|flash2|flash3|flash4|cudnn: one kernel, FlashAttention of a generation or
            cuDNN's; fused|sdpa: the usual one on the GPU, and the one that PyTorch takes (default:
            the stack's)
        kernels: megatron|eager|compiled: kernels for element-wise operations on activations:
            Megatron's, PyTorch's or torch.compile's (default: the stack's)
        cuda_graphs: on|off: CUDA graphs: the host issues all kernels of a block of a layer as one
            (default: off)
        loss: unfused|fused: fused computes the loss in one kernel over BF16 logits (default: the
            stack's)
        precision: bf16|fp8|mxfp8|nvfp4: precision of the linear layers' matrix products; the
            topology's [gpu] table must give a rate for it (default: bf16)
        weight_precision: bf16|fp8: precision of the weights that ZeRO-3 gathers; fp8 needs
            precision fp8 (default: bf16)
        optimizer: optimizer. adamw: one fused kernel; adamw-foreach: one kernel per elementwise
            operation, PyTorch's default; muon: Muon for the layers' matrices, AdamW for the rest
            (default: the stack's)
        optimizer_state: gpu|host: where the optimizer's state is between updates. host: in the
            hosts' memory; each step copies it to the GPUs and back, over the link of
            gpu.host_bandwidth. With host_codecs, hosts update AdamW instead: gradients go to them,
            and new weights come back. A search (tune, baseline best, map, plan) moves it there if
            nothing fits otherwise (default: gpu)
        gradient_precision: fp32|bf16: precision of uncompressed reductions and of the gradient
            buffer (ZeRO-3's shards stay FP32) (default: fp32)
        overlap: communication to overlap with compute: none, all, or any of gradients, weights,
            tensor, pipeline, experts (rows to experts beside shared experts) and batches (a forward
            and a backward pass of two micro-batches at once, not part of all), separated by commas
            (default: the stack's)
        bucket_size: gradient bytes per bucket, if any communication overlaps (default: 160 MiB)
        algorithm: algorithm of the collectives that it can run, the others run as by auto; refused
            if no group of GPUs of such a collective can take it: auto (the fastest for each size);
            ring; tree (NCCL's double binary tree), nvls, nvls_tree or sharp (sums in the switches
            of NVLink or of the network) of all_reduce; pat of all_gather and reduce_scatter,
            recursive (halving and doubling) or hierarchical of these and all_reduce; pairwise,
            rail, deepep, deepep-low-latency, hybridep or nvlink-two-sided of all_to_all;
            copy_engine of all_gather and all_to_all; chain of broadcast; direct of send_receive
            (default: the topology's collectives.algorithm)
        protocol: protocol of collectives that have it, refused if none has: auto (the fastest for
            each size), ll, ll128, or simple (default: the topology's collectives.protocol)
        calibration: kernel times: auto, roofline, a shipped name or a file (default: auto)
        codec_time: factor by which to multiply the codec kernels' calibrated times (default: 1)
        host_issue: time that the host, the CPU of a GPU, takes to issue a kernel, e.g. "8 us", or a
            factor on the default, e.g. 1.5x; "0 s": the GPU never waits for its host (default: by
            kernels, from traces/kernels/host.toml)
        step_by_step: simulate every step of a ring, every chunk in a tree and every pair of ranks
            separately (slow; a check of the folded simulation)
        each_kernel: simulate every kernel of a layer as its own operation: a finer timeline with
            the same times
        whole: simulate every rank, site and micro-batch, not one of those that do the same (slow
            for many, with the same times)
        set: KEY=VALUE: set any key of an input file, e.g. network.nic_bandwidth="200 Gbps",
            model.layers=12 or scheme.inter_group=512
        inner_scheme: scheme for weights and gradients within each site: a shipped name or a file;
            scheme is for the exchange between sites (default: sharded)
        host_codecs: the hosts' processors encode and decode between sites, each GPU's share on
            threads of its own, in the times of this table: a file that gardenhose-calibrate
            measured on a CPU, or a shipped name (default: GPUs do)
        deadline: time into a round after which the round continues without late sites
        balance: none|steps|batch: divide the work so that unlike sites end their inner steps
            together, with about as many tokens in a round. steps: a site takes inner steps in
            proportion to its speed, under schemes that have rounds of them; batch: micro-batches of
            every step instead (default: none)
        reliability: how often parts fail and how the job recovers: a shipped name, e.g.
            llama3_h100, or a file. Adds the goodput, the share of the time whose training is kept,
            with the best interval between checkpoints
        tokens: with reliability, or over sites that come and go: tokens to train on, e.g. 15T; adds
            days and price, with likely ranges
        baseline: scheme against which to compute speed-ups. 'twin': each scheme's own uncompressed
            form; 'best': the fastest uncompressed step with the same global batch, from a search
            over schemes, ZeRO stages, hybrid sharding, FP8 gather, tensor and sequence parallelism,
            recomputation, micro-batches, overlap, BF16 gradients and bucket sizes
        tune: tune each scheme: run it with its fastest options, found by the same search as for
            baseline best. Flags that you pass stay fixed, for the schemes and for the best
            baseline. Without tune, flags apply only to the schemes, and the search for the best
            baseline ignores them
        break_even: break-even bandwidth: find, by repeated simulation, the NIC bandwidth below
            which each scheme beats its baseline (format table always shows it below the table)
        range: on|off|auto: likely range of throughput, price and speed-up, eight cases of ten, with
            the compute efficiency, the network, the codecs and the host drawn from their spreads:
            four more simulations; auto: only for steps of at most half a million operations
            (default: auto)
        jobs: simulations to run at once (default: all cores, or the cores that Slurm allots)
        perfetto: file for the timeline of the last scheme; open it in ui.perfetto.dev
        kineto: file for the last scheme's step as PyTorch's profiler would have recorded it: every
            kernel of every simulated rank; gardenhose fit trace reads it back
        perfetto_ranks: number of ranks in the timeline, from rank 0 (0: all) (default: 0)
        month: file for one month of the last scheme, as CSV: which sites are there when and the
            rounds that they end, or with reliability failures and recoveries; plots/month.py draws
            it
        require_fit: fail if a step does not fit in memory

    Returns a Report, the JSON of `gardenhose run`, whose keys name their units:
    step_time_s, tokens_per_s, memory_per_gpu_bytes, energy_j. If `scheme` is a list, returns a list
    of Reports, preceded by the baseline's if there is one.

    Raises:
        InputError: an input is invalid; the message says which one, why, and what to write.
        TypeError: an input is not a string, a number, a path, True or False.
        OSError: the program is missing or cannot be started.
        RuntimeError: the program crashes, or lacks a shared library.
        KeyboardInterrupt: Ctrl-C, which also ends the program.

    Warns (UserWarning) when a step needs more memory than a GPU has.
    """
    return simulated(Report, inputs, flags)


def compare(inputs: Optional[Mapping[str, object]] = None, *, a: Optional[Named] = None,
            b: Optional[Named] = None, goal: Optional[Values] = None, tune: Optional[bool] = None,
            repetitions: Optional[Values] = None, jobs: Optional[Values] = None,
            seed: Optional[Values] = None, spread: Optional[Named] = None,
            topology: Optional[Values] = None, model: Optional[Values] = None,
            scheme: Optional[Values] = None, nodes: Optional[Values] = None,
            gpus_per_node: Optional[Values] = None, node_placement: Optional[Values] = None,
            traffic: Optional[Values] = None, sequence: Optional[Values] = None,
            tp: Optional[Values] = None, pp: Optional[Values] = None, cp: Optional[Values] = None,
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
            stack: Optional[Values] = None, attention: Optional[Values] = None,
            kernels: Optional[Values] = None, cuda_graphs: Optional[Values] = None,
            loss: Optional[Values] = None, precision: Optional[Values] = None,
            weight_precision: Optional[Values] = None, optimizer: Optional[Values] = None,
            optimizer_state: Optional[Values] = None, gradient_precision: Optional[Values] = None,
            overlap: Optional[Values] = None, bucket_size: Optional[Values] = None,
            algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
            calibration: Optional[Values] = None, codec_time: Optional[Values] = None,
            host_issue: Optional[Values] = None, step_by_step: Optional[bool] = None,
            each_kernel: Optional[bool] = None, whole: Optional[bool] = None,
            set: Optional[Named] = None, inner_scheme: Optional[Values] = None,
            host_codecs: Optional[Values] = None, deadline: Optional[Values] = None,
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

    As of run(): topology, model, scheme, nodes, gpus_per_node, node_placement, traffic, sequence,
    tp, pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages,
    count_ends, stage_layers, placement, micro_batch, accumulation, global_batch, sequence_parallel,
    recompute, offload_activations, routing, capacity_factor, zero, hybrid_shard, reshard,
    unit_layers, prefetch, backward_prefetch, stack, attention, kernels, cuda_graphs, loss,
    precision, weight_precision, optimizer, optimizer_state, gradient_precision, overlap,
    bucket_size, algorithm, protocol, calibration, codec_time, host_issue, step_by_step,
    each_kernel, whole, set, inner_scheme, host_codecs, deadline, balance.

    Returns a Comparison: which side is better, and how certain that is.
    """
    return one(Comparison, "compare", locals())


def map(inputs: Optional[Mapping[str, object]] = None, *, topology: Optional[Values] = None,
        model: Optional[Values] = None, scheme: Optional[Values] = None,
        nodes: Optional[Values] = None, gpus_per_node: Optional[Values] = None,
        node_placement: Optional[Values] = None, traffic: Optional[Values] = None,
        sequence: Optional[Values] = None, tp: Optional[Values] = None, pp: Optional[Values] = None,
        cp: Optional[Values] = None, cp_exchange: Optional[Values] = None,
        cp_heads: Optional[Values] = None, ep: Optional[Values] = None,
        etp: Optional[Values] = None, dispatcher: Optional[Values] = None,
        dispatch_sms: Optional[Values] = None, virtual_stages: Optional[Values] = None,
        count_ends: Optional[Values] = None, stage_layers: Optional[Values] = None,
        placement: Optional[Values] = None, sequence_parallel: Optional[Values] = None,
        recompute: Optional[Values] = None, offload_activations: Optional[Values] = None,
        routing: Optional[Values] = None, capacity_factor: Optional[Values] = None,
        zero: Optional[Values] = None, hybrid_shard: Optional[Values] = None,
        reshard: Optional[Values] = None, unit_layers: Optional[Values] = None,
        prefetch: Optional[Values] = None, backward_prefetch: Optional[Values] = None,
        stack: Optional[Values] = None, attention: Optional[Values] = None,
        kernels: Optional[Values] = None, cuda_graphs: Optional[Values] = None,
        loss: Optional[Values] = None, precision: Optional[Values] = None,
        weight_precision: Optional[Values] = None, optimizer: Optional[Values] = None,
        optimizer_state: Optional[Values] = None, gradient_precision: Optional[Values] = None,
        overlap: Optional[Values] = None, bucket_size: Optional[Values] = None,
        algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
        calibration: Optional[Values] = None, codec_time: Optional[Values] = None,
        host_issue: Optional[Values] = None, step_by_step: Optional[bool] = None,
        each_kernel: Optional[bool] = None, whole: Optional[bool] = None,
        set: Optional[Named] = None, x: Optional[Named] = None, y: Optional[Named] = None,
        bandwidths: Optional[Values] = None, tokens: Optional[Values] = None,
        jobs: Optional[Values] = None) -> Records[MapPoint]:
    """Maps the fastest scheme: for each pair of values, the speed-up of the fastest compressed
    scheme over the fastest uncompressed setup, with the same tokens per step.

    Both sides run with their fastest options, as with run baseline best tune; flags that you pass
    stay fixed. Without x and y, the axes are bandwidths and the models of model.

    Flags:
        scheme: scheme for weights and gradients: a shipped name or a file; to compare several,
            separate them with commas. 'all' means every shipped scheme that the setup allows: with
            zero, schemes defined for that stage; between sites, schemes that use object storage are
            included only if there is a [store] table (default: chosen)
        tp: tensor parallelism: ranks that share each layer (default: chosen)
        zero: ZeRO stage, i.e. the state that data-parallel ranks shard. 0: nothing (plain data
            parallelism); 1: optimizer states (Megatron's distributed optimizer); 2: also gradients;
            3: also weights (FSDP) (default: chosen)
        hybrid_shard: hybrid sharding: data-parallel ranks that share one set of shards, e.g. the
            ranks of one node; each group holds a replica (default: chosen)
        weight_precision: bf16|fp8: precision of the weights that ZeRO-3 gathers; fp8 needs
            precision fp8 (default: chosen)
        gradient_precision: fp32|bf16: precision of uncompressed reductions and of the gradient
            buffer (ZeRO-3's shards stay FP32) (default: chosen)
        overlap: communication to overlap with compute: none, all, or any of gradients, weights,
            tensor, pipeline, experts (rows to experts beside shared experts) and batches (a forward
            and a backward pass of two micro-batches at once, not part of all), separated by commas
            (default: chosen)
        bucket_size: gradient bytes per bucket, if any communication overlaps (default: chosen)
        x: horizontal axis and its values, e.g. latency=2us,5us,20us (default: bandwidth, of
            bandwidths)
        y: vertical axis and its values, e.g. gpus=16,64,256 (default: model, of model)
        bandwidths: NIC bandwidths, separated by commas (default:
            25Gbps,50Gbps,100Gbps,200Gbps,400Gbps,800Gbps,1600Gbps)
        tokens: tokens per step, rounded up to the same number of sequences for each replica
            (default: 4194304)
        jobs: simulations to run at once (default: all cores, or the cores that Slurm allots)

    As of run(): topology, model, nodes, gpus_per_node, node_placement, traffic, sequence, pp, cp,
    cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages, count_ends,
    stage_layers, placement, sequence_parallel, recompute, offload_activations, routing,
    capacity_factor, reshard, unit_layers, prefetch, backward_prefetch, stack, attention, kernels,
    cuda_graphs, loss, precision, optimizer, optimizer_state, algorithm, protocol, calibration,
    codec_time, host_issue, step_by_step, each_kernel, whole, set.

    Returns a MapPoint for each pair of values.
    """
    return several(MapPoint, "map", locals())


def plan(inputs: Optional[Mapping[str, object]] = None, *, topology: Optional[Values] = None,
         model: Optional[Values] = None, scheme: Optional[Values] = None,
         nodes: Optional[Values] = None, gpus_per_node: Optional[Values] = None,
         node_placement: Optional[Values] = None, traffic: Optional[Values] = None,
         sequence: Optional[Values] = None, tp: Optional[Values] = None,
         pp: Optional[Values] = None, cp: Optional[Values] = None,
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
         backward_prefetch: Optional[Values] = None, stack: Optional[Values] = None,
         attention: Optional[Values] = None, kernels: Optional[Values] = None,
         cuda_graphs: Optional[Values] = None, loss: Optional[Values] = None,
         precision: Optional[Values] = None, weight_precision: Optional[Values] = None,
         optimizer: Optional[Values] = None, optimizer_state: Optional[Values] = None,
         gradient_precision: Optional[Values] = None, overlap: Optional[Values] = None,
         bucket_size: Optional[Values] = None, algorithm: Optional[Values] = None,
         protocol: Optional[Values] = None, calibration: Optional[Values] = None,
         codec_time: Optional[Values] = None, host_issue: Optional[Values] = None,
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
            buffer (ZeRO-3's shards stay FP32) (default: chosen)
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
        memory_headroom: share of a GPU's memory that a setup must leave free, for what is not
            predicted: fragmentation, NCCL's buffers, the CUDA context (default: 0.02)
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

    As of run(): topology, model, gpus_per_node, node_placement, traffic, sequence, cp_exchange,
    cp_heads, dispatcher, dispatch_sms, count_ends, stage_layers, offload_activations, routing,
    capacity_factor, unit_layers, prefetch, backward_prefetch, stack, attention, kernels,
    cuda_graphs, loss, precision, optimizer, optimizer_state, bucket_size, algorithm, protocol,
    calibration, codec_time, host_issue, step_by_step, each_kernel, whole, set.

    Returns Plans, the best first: `plans`.
    """
    return one(Plans, "plan", locals())


def solve(unknown: str, *, topology: Optional[Values] = None, model: Optional[Values] = None,
          scheme: Optional[Values] = None, nodes: Optional[Values] = None,
          gpus_per_node: Optional[Values] = None, node_placement: Optional[Values] = None,
          traffic: Optional[Values] = None, sequence: Optional[Values] = None,
          tp: Optional[Values] = None, pp: Optional[Values] = None, cp: Optional[Values] = None,
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
          stack: Optional[Values] = None, attention: Optional[Values] = None,
          kernels: Optional[Values] = None, cuda_graphs: Optional[Values] = None,
          loss: Optional[Values] = None, precision: Optional[Values] = None,
          weight_precision: Optional[Values] = None, optimizer: Optional[Values] = None,
          optimizer_state: Optional[Values] = None, gradient_precision: Optional[Values] = None,
          overlap: Optional[Values] = None, bucket_size: Optional[Values] = None,
          algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
          calibration: Optional[Values] = None, codec_time: Optional[Values] = None,
          host_issue: Optional[Values] = None, step_by_step: Optional[bool] = None,
          each_kernel: Optional[bool] = None, whole: Optional[bool] = None,
          set: Optional[Named] = None, inner_scheme: Optional[Values] = None,
          host_codecs: Optional[Values] = None, deadline: Optional[Values] = None,
          balance: Optional[Values] = None, utilisation: Optional[Values] = None,
          tokens_per_day: Optional[Values] = None, usd_per_million_tokens: Optional[Values] = None,
          beats: Optional[Values] = None, best: Optional[Values] = None,
          jobs: Optional[Values] = None) -> Records[Solution]:
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

    As of run(): topology, model, scheme, nodes, gpus_per_node, node_placement, traffic, sequence,
    tp, pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages,
    count_ends, stage_layers, placement, micro_batch, accumulation, global_batch, sequence_parallel,
    recompute, offload_activations, routing, capacity_factor, zero, hybrid_shard, reshard,
    unit_layers, prefetch, backward_prefetch, stack, attention, kernels, cuda_graphs, loss,
    precision, weight_precision, optimizer, optimizer_state, gradient_precision, overlap,
    bucket_size, algorithm, protocol, calibration, codec_time, host_issue, step_by_step,
    each_kernel, whole, set, inner_scheme, host_codecs, deadline, balance.

    Returns a Solution for each scheme.
    """
    return several(Solution, "solve", locals())


def collective(collective: Optional[str] = None, *, topology: Optional[Values] = None,
               nodes: Optional[Values] = None, gpus_per_node: Optional[Values] = None,
               node_placement: Optional[Values] = None, traffic: Optional[Values] = None,
               split: Optional[Values] = None, begin: Optional[Values] = None,
               end: Optional[Values] = None, factor: Optional[Values] = None,
               algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
               compress: Optional[Values] = None, precision: Optional[Values] = None,
               calibration: Optional[Values] = None, pairs: Optional[Values] = None,
               at_once: Optional[bool] = None, step_by_step: Optional[bool] = None,
               set: Optional[Named] = None) -> Records[CollectiveTime]:
    """Times a collective over a range of sizes: all_gather, reduce_scatter, all_reduce, all_to_all,
    broadcast (from the first rank) or send_receive (each rank to the next one), over all ranks or
    over several groups of ranks at once.

    Sizes and bandwidths are defined as in nccl-tests, so outputs compare directly: size is that of
    the whole buffer (for all_gather, the result; for all_to_all and send_receive, what each rank
    sends), algorithm bandwidth is size divided by time, and bus bandwidth is the traffic that must
    cross a rank's links, divided by time, which is constant on a perfect network. 'Bounded by'
    names what takes more of the time: latency, or the busiest link with the share of the time in
    which it is busy.

    compress compares it with the same collective of encoded values, and finds the size from which
    the codec pays. pairs times single messages between every two GPUs instead.

    Flags:
        collective: all_gather, reduce_scatter, all_reduce, all_to_all, broadcast or send_receive
        topology: cluster: a shipped name (see gardenhose list) or a file
        split: number of groups that run at once; ranks are assigned to them in turn: with 8 GPUs
            per node, split 8 gives the data-parallel groups of tp 8 (NCCL_TESTS_SPLIT="%8")
        begin: smallest size (default: 8 B)
        end: largest size (default: 8 GiB)
        factor: ratio of each size to the previous one (default: 2)
        compress: codec to encode values with before they are exchanged: a name (see gardenhose list
            codecs) or a card's file
        precision: bf16|fp32: precision of the uncompressed values, for compress (default: bf16)
        pairs: instead of a collective, time a message of this size from each GPU to each other one
        at_once: for pairs: all GPUs send at once, each to the one so many ranks further on
        set: KEY=VALUE: set any key of the topology's file, e.g. network.nic_bandwidth="200 Gbps"

    As of run(): nodes, gpus_per_node, node_placement, traffic, algorithm, protocol, calibration,
    step_by_step.

    Returns a CollectiveTime for each size; with `pairs`, one for all.
    """
    return several(CollectiveTime, "collective", locals())


def fit(log: Optional[Values] = None, *, trace: Optional[Values] = None,
        steps: Optional[Values] = None, topo: Optional[Values] = None,
        collective: Optional[Values] = None, hold_out: Optional[Values] = None,
        output: Optional[Values] = None, jobs: Optional[Values] = None,
        topology: Optional[Values] = None, model: Optional[Values] = None,
        scheme: Optional[Values] = None, nodes: Optional[Values] = None,
        gpus_per_node: Optional[Values] = None, node_placement: Optional[Values] = None,
        traffic: Optional[Values] = None, sequence: Optional[Values] = None,
        tp: Optional[Values] = None, pp: Optional[Values] = None, cp: Optional[Values] = None,
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
        stack: Optional[Values] = None, attention: Optional[Values] = None,
        kernels: Optional[Values] = None, cuda_graphs: Optional[Values] = None,
        loss: Optional[Values] = None, precision: Optional[Values] = None,
        weight_precision: Optional[Values] = None, optimizer: Optional[Values] = None,
        optimizer_state: Optional[Values] = None, gradient_precision: Optional[Values] = None,
        overlap: Optional[Values] = None, bucket_size: Optional[Values] = None,
        algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
        calibration: Optional[Values] = None, codec_time: Optional[Values] = None,
        host_issue: Optional[Values] = None, step_by_step: Optional[bool] = None,
        each_kernel: Optional[bool] = None, whole: Optional[bool] = None,
        set: Optional[Named] = None, inner_scheme: Optional[Values] = None,
        host_codecs: Optional[Values] = None, deadline: Optional[Values] = None,
        balance: Optional[Values] = None) -> Fit:
    """Fits a cluster's launch, step latency and bandwidth by protocol to measured times of
    collectives, and writes them as a cluster file.

    A LOG is what nccl-tests printed (all_reduce_perf, all_gather_perf, reduce_scatter_perf,
    alltoall_perf), a CSV table, or the name of a published log (traces/published/nccl_logs.csv).
    Give several logs to separate more constants: one node and several, two collectives, two numbers
    of GPUs.

    Flags:
        log: files of logs, or names of published ones
        trace: file of a PyTorch profiler's trace (Chrome JSON, gzip or not); may be repeated, once
            for each rank. With the flags of its job, constants are fitted to its kernels; without,
            they are shown by class
        steps: CSV file of measured steps, one a row. Columns: step_s, tokens_per_second or
            tokens_per_second_per_gpu; name (optional); flags of run without dashes (model, nodes,
            micro-batch, ...) and keys of input files (model.layers); flags: any further ones, as on
            a command line. Flags of the command line hold for all rows that do not give them
        topo: file with the output of nvidia-smi topo -m: gives the number of GPUs and NICs of a
            node, the NIC of each GPU, and whether NVLink has switches
        collective: collective of the logs that do not name their program: all_gather,
            reduce_scatter, all_reduce or all_to_all
        hold_out: times to leave out of the fit and to predict: of logs, sizes (every second one of
            each log) or gpus (the logs of the most GPUs); of steps, steps (every second row)
        output: cluster file to write: the topology's with the fitted constants
        jobs: simulations to run at once (default: all cores, or the cores that Slurm allots)

    As of run(): topology, model, scheme, nodes, gpus_per_node, node_placement, traffic, sequence,
    tp, pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages,
    count_ends, stage_layers, placement, micro_batch, accumulation, global_batch, sequence_parallel,
    recompute, offload_activations, routing, capacity_factor, zero, hybrid_shard, reshard,
    unit_layers, prefetch, backward_prefetch, stack, attention, kernels, cuda_graphs, loss,
    precision, weight_precision, optimizer, optimizer_state, gradient_precision, overlap,
    bucket_size, algorithm, protocol, calibration, codec_time, host_issue, step_by_step,
    each_kernel, whole, set, inner_scheme, host_codecs, deadline, balance.

    Returns a Fit: the constants and their errors.
    """
    return one(Fit, "fit", locals())


def bom(inputs: Optional[Mapping[str, object]] = None, *, topology: Optional[Values] = None,
        nodes: Optional[Values] = None, parts: Optional[Values] = None,
        set: Optional[Named] = None) -> PartsList:
    """Counts the switches, transceivers and cables that a cluster's network needs, tier by tier,
    and adds up their prices and watts.

    Counts follow from the topology's [network]; switch ports, prices and watts from a file of
    parts. The shipped ones are placeholders: copy traces/network_parts.toml and put in your quotes.

    Flags:
        topology: cluster: a shipped name (see gardenhose list) or a file
        parts: file of switch ports, prices and watts (default: traces/network_parts.toml)
        set: KEY=VALUE: set any key of the topology's file, e.g. network.oversubscription=2

    As of run(): nodes.

    Returns a PartsList, with prices and watts.
    """
    return one(PartsList, "bom", locals())


def validate(study: Optional[str] = None, *, constants: Optional[bool] = None,
             refit: Optional[bool] = None, each: Optional[bool] = None,
             predictions: Optional[bool] = None, by: Optional[Values] = None,
             defaults: Optional[bool] = None, freeze: Optional[Values] = None,
             compare: Optional[Values] = None, jobs: Optional[Values] = None) -> AnyRecord:
    """Reruns published experiments and prints predictions next to measurements.

    Predictions are made from data sheets alone (blind); with the constants under [fitted] in each
    cluster's file (fitted); and without simulation, as FLOPs divided by the rate plus bytes divided
    by the bandwidth, with the same constants (null model) and with its own (null, refitted). Rows
    to which a constant was fitted are excluded from the errors. For fsdp, the null model assumes
    the utilisation measured on one node of 8 GPUs, whatever the number of GPUs. For nccl, it is a
    start-up time plus bytes over a bandwidth, for each collective and GPU. For blind, each run is
    predicted from other sources alone, with a range.

    Flags:
        study: sdp4bit: tables 2 and 4 of its paper; fsdp: MosaicML's benchmarks of MPT and
            torchtitan's of Llama 3 8B; zeropp: ZeRO++ on 384 V100s with 1 to 8 NICs per node; host:
            72 steps of Megatron-DeepSpeed on A100 that the host bounds; layouts: 964 layouts of ten
            jobs on A100: which are fast, and which fit in memory; streaming-diloco: table 4 of its
            paper; sparseloco: its published runs; nccl: logs of nccl-tests and of XLA, 2 to 72
            GPUs; blind: 214 training runs of eleven sources, each predicted from the other sources
            alone; moe: steps of models with experts, each predicted from the other sources;
            context: steps of sequences from 4 thousand to 1 million tokens, likewise; pairs: steps
            and exchanges measured with and without low-precision communication; dispatch: dispatch
            and combine of tokens between experts by DeepEP, HybridEP and others; goodput:
            interruptions and goodputs of training runs, by failure rates of other clusters;
            two-nodes: steps on two nodes of 8 H100 joined by 9.1 Gb/s of TCP, DiLoCo's among them;
            opendiloco: OpenDiLoCo's share of time in communication; intellect-1: INTELLECT-1's
            volume, ring order and utilisation, by definition; kernels: kernels that
            gardenhose-calibrate measured on GPUs, predicted without their tables; compiled:
            published rates of kernels of others, by their machine code
        constants: list, instead of predictions, every number that affects a row, with its source
            and the effect of changing it by 10 %
        refit: also refit the constants to the rows named in the cluster files
        each: nccl, blind, moe and context: also list every row
        predictions: nccl, goodput, two-nodes and opendiloco: print the prediction of every row
            instead, without the measured one; commit them before a comparison to keep it blind
        by: blind: fold|generation: what is left out with a row: its source, or also all rows on
            GPUs of its generation; fold,generation: one after the other, from the same simulations
            (default: fold)
        defaults: blind: print the compute efficiency that the rows of each source need, and their
            median, instead of predictions
        freeze: blind: also write the predictions (the first of by) to FILE, with the hashes of
            their inputs; commit it before a comparison
        compare: nccl and blind: compare the predictions in FILE, which predictions printed or
            freeze wrote before, instead of new ones
        jobs: simulations to run at once (default: all cores, or the cores that Slurm allots)

    Returns a record whose keys depend on the study.
    """
    return one(AnyRecord, "validate", locals())


def sweep(spec: Union[str, "os.PathLike[str]", Mapping[str, object]], *,
          store: Optional[Values] = None, jobs: Optional[Values] = None,
          shard: Optional[Values] = None, recompute: Optional[bool] = None,
          retry: Optional[bool] = None) -> Records[Point]:
    """Runs a grid of points, each a `gardenhose run`, in worker processes, and keeps the results in
    an SQLite file.

    The same command resumes the sweep after Ctrl-C, a crash or a reboot.

    Flags:
        spec: TOML file of the sweep
        store: SQLite file for the results (default: SPEC.sqlite next to the spec; SPEC.KofN.sqlite
            for a shard)
        jobs: points to run at once (default: all cores, or the cores that Slurm allots)
        shard: K/N: run only shard K of N equal shards (default: all, or the shard of the Slurm
            array task)
        recompute: rerun points whose input files or Gardenhose version have changed since they were
            computed
        retry: rerun points that crashed

    Returns a Point for each point of the spec: its inputs, state and report. `spec` is a file or a
    dict of its tables. Results of a dict are kept where `store` is given.
    """
    return swept(locals())


def check(what: Union[str, "os.PathLike[str]", None] = None, *, baseline: Optional[Values] = None,
          update: Optional[bool] = None, tolerance: Optional[Named] = None,
          require: Optional[Values] = None, strict: Optional[bool] = None,
          junit: Optional[Values] = None, markdown: Optional[Values] = None,
          annotations: Optional[Values] = None, jobs: Optional[Values] = None,
          measured: Optional[Values] = None, trace: Optional[Values] = None,
          topology: Optional[Values] = None, model: Optional[Values] = None,
          scheme: Optional[Values] = None, nodes: Optional[Values] = None,
          gpus_per_node: Optional[Values] = None, node_placement: Optional[Values] = None,
          traffic: Optional[Values] = None, sequence: Optional[Values] = None,
          tp: Optional[Values] = None, pp: Optional[Values] = None, cp: Optional[Values] = None,
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
          stack: Optional[Values] = None, attention: Optional[Values] = None,
          kernels: Optional[Values] = None, cuda_graphs: Optional[Values] = None,
          loss: Optional[Values] = None, precision: Optional[Values] = None,
          weight_precision: Optional[Values] = None, optimizer: Optional[Values] = None,
          optimizer_state: Optional[Values] = None, gradient_precision: Optional[Values] = None,
          overlap: Optional[Values] = None, bucket_size: Optional[Values] = None,
          algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
          calibration: Optional[Values] = None, codec_time: Optional[Values] = None,
          host_issue: Optional[Values] = None, step_by_step: Optional[bool] = None,
          each_kernel: Optional[bool] = None, whole: Optional[bool] = None,
          set: Optional[Named] = None, inner_scheme: Optional[Values] = None,
          host_codecs: Optional[Values] = None, deadline: Optional[Values] = None,
          balance: Optional[Values] = None) -> Checked:
    """Compares predictions with a baseline, a JSON file kept in git, and reports what moved and
    which inputs changed.

    WHAT is the spec of a sweep (its points are run now), the store of a sweep, or the output of
    `run --format json` (a file, or - for standard input).

    Flags:
        what: SPEC.toml, STORE.sqlite, RUN.json or -
        baseline: JSON file of the baseline (default: WHAT.baseline.json next to WHAT)
        update: write a new baseline, with the old one's tolerances
        tolerance: METRIC=0.5%, METRIC=1e-6 (in its unit), METRIC=0.5%,1e-6 (both) or METRIC=off;
            the metric 'all' covers metrics without a tolerance of their own. May be repeated;
            update keeps them in the baseline
        require: what a metric must be: 'speedup>=1.05', 'step_time_s<=2.5 s', 'mfu>40 %', for the
            points behind @ alone: 'speedup>=1.05 @ scheme=sdp4bit nodes=4'. In quotes. Needs no
            baseline. May be repeated; update keeps them in the baseline
        strict: fail on every change, improvements included
        junit: file for JUnit XML, with one test case per point
        markdown: file for a Markdown summary, e.g. for the page of a CI job
        annotations: auto, on or off: print failing points as GitHub Actions shows them beside the
            lines of a pull request, at most 10 (default: auto, where GITHUB_ACTIONS is true)
        jobs: points of a spec to run at once (default: all cores)
        measured: CSV file of measured steps, one a row. Columns: step_s, tokens_per_second or
            tokens_per_second_per_gpu; name (optional); flags of run without dashes (model, nodes,
            micro-batch, ...) and keys of input files (model.layers); flags: any further ones, as on
            a command line. Flags of the command line hold for all rows that do not give them
        trace: with measured of one step: file of a PyTorch profiler's trace of it, whose kernels to
            compare too; may be repeated, once for each rank

    As of run(): topology, model, scheme, nodes, gpus_per_node, node_placement, traffic, sequence,
    tp, pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages,
    count_ends, stage_layers, placement, micro_batch, accumulation, global_batch, sequence_parallel,
    recompute, offload_activations, routing, capacity_factor, zero, hybrid_shard, reshard,
    unit_layers, prefetch, backward_prefetch, stack, attention, kernels, cuda_graphs, loss,
    precision, weight_precision, optimizer, optimizer_state, gradient_precision, overlap,
    bucket_size, algorithm, protocol, calibration, codec_time, host_issue, step_by_step,
    each_kernel, whole, set, inner_scheme, host_codecs, deadline, balance.

    Returns Checked, which is true if no point fails.
    """
    return checked(locals())


@overload
def list(section: Optional[str] = None) -> Records[Listed]: ...
@overload
def list(section: str, name: str) -> str: ...
def list(section: Optional[str] = None,
         name: Optional[str] = None) -> Union[str, Records[Listed]]:
    """What ships: rows of a section, such as "models", or of all.

    list("scheme", "sdp4bit") is the text of that file, as list("topology", ...), list("model", ...)
    and list("reliability", ...) are.
    """
    return listed(section, name)
