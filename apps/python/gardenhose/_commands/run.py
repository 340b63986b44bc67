# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""run(), one step or round."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple, Union, overload

from .._arguments import Named, Value
from .._call import simulated
from .._results import Records
from .flags import Flags
from .report import Report


@overload
def run(inputs: Optional[Flags] = None, *, topology: Optional[Value] = None,
        model: Optional[Value] = None, from_: Optional[Value] = None,
        scheme: Optional[Value] = None, nodes: Optional[Value] = None,
        gpus_per_node: Optional[Value] = None, node_placement: Optional[Value] = None,
        traffic: Optional[Value] = None, sequence: Optional[Value] = None,
        tp: Optional[Value] = None, pp: Optional[Value] = None, cp: Optional[Value] = None,
        cp_exchange: Optional[Value] = None, cp_heads: Optional[Value] = None,
        ep: Optional[Value] = None, etp: Optional[Value] = None, dispatcher: Optional[Value] = None,
        dispatch_sms: Optional[Value] = None, virtual_stages: Optional[Value] = None,
        count_ends: Optional[Value] = None, stage_layers: Optional[Value] = None,
        placement: Optional[Value] = None, micro_batch: Optional[Value] = None,
        accumulation: Optional[Value] = None, global_batch: Optional[Value] = None,
        sequence_parallel: Optional[Value] = None, recompute: Optional[Value] = None,
        offload_activations: Optional[Value] = None, routing: Optional[Value] = None,
        capacity_factor: Optional[Value] = None, zero: Optional[Value] = None,
        hybrid_shard: Optional[Value] = None, reshard: Optional[Value] = None,
        unit_layers: Optional[Value] = None, prefetch: Optional[Value] = None,
        backward_prefetch: Optional[Value] = None, gradient_sync: Optional[Value] = None,
        offload_weights: Optional[Value] = None, stack: Optional[Value] = None,
        attention: Optional[Value] = None, kernels: Optional[Value] = None,
        cuda_graphs: Optional[Value] = None, power_throttling: Optional[Value] = None,
        loss: Optional[Value] = None, precision: Optional[Value] = None,
        weight_precision: Optional[Value] = None, optimizer: Optional[Value] = None,
        optimizer_state: Optional[Value] = None, optimizer_precision: Optional[Value] = None,
        gradient_precision: Optional[Value] = None, overlap: Optional[Value] = None,
        bucket_size: Optional[Value] = None, algorithm: Optional[Value] = None,
        protocol: Optional[Value] = None, nccl: Optional[Value] = None,
        calibration: Optional[Value] = None, codec_time: Optional[Value] = None,
        host_codecs: Optional[Value] = None, host_issue: Optional[Value] = None,
        step_by_step: Optional[bool] = None, each_kernel: Optional[bool] = None,
        whole: Optional[bool] = None, set: Optional[Named] = None,
        inner_scheme: Optional[Value] = None, deadline: Optional[Value] = None,
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
        from_: launch file of the job: a torchtitan TOML, a script or log with Megatron-LM's
            arguments, NeMo's, nanotron's, gpt-neox's, axolotl's or LLaMA-Factory's YAML, a
            DeepSpeed JSON, or an MLPerf submission's exports. Prints the flags that it stands for
            and what of it is not modelled; flags that you pass win
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
        gradient_sync: micro-batch|step: when ZeRO-3 reduces gradients: micro-batch: each
            micro-batch's, so that only shards stay; step: once a step, so that whole gradients stay
            on each rank (PyTorch's no_sync and set_requires_gradient_sync(False)) (default:
            micro-batch)
        offload_weights: on|off: ZeRO-3's shards of the weights are in the hosts' memory: each is
            copied to the GPU, over the link of gpu.host_bandwidth, before it is gathered (FSDP's
            CPU offload, DeepSpeed's offload_param); needs optimizer_state host (default: off)
        stack: training software, which sets the defaults of attention, kernels, loss, optimizer,
            overlap, backward_prefetch and zero, and what casts to FP8 and NVFP4 launch: megatron,
            nemo, torch-eager, torch-compile, composer, deepspeed, maxtext or transformers; `list
            stacks` describes them. NAME@DATE is a stack as it was released by a date, e.g.
            composer@2023-10 or megatron@2021; a date after all known changes is today's, also one
            in the future (default: megatron; with zero 3, torch-eager)
        attention: unfused: attention materialises its scores in memory;
            flash1|flash2|flash3|flash4|cudnn: one kernel, FlashAttention of a generation or
            cuDNN's; fused|sdpa: the usual one on the GPU, and the one that PyTorch takes (default:
            the stack's)
        kernels: megatron|eager|compiled: kernels for element-wise operations on activations:
            Megatron's, PyTorch's or torch.compile's (default: the stack's)
        cuda_graphs: on|off: CUDA graphs: the host issues all kernels of a block of a layer as one
            (default: off)
        power_throttling: on|off: power throttling: matrix products and attention run at the rate
            that the GPU's power limit leaves them, which falls where a step waits less for its
            network; only for H100 and H200, whose kernels' power is known (default: off)
        loss: unfused|fused: fused computes the loss in one kernel over BF16 logits (default: the
            stack's)
        precision: bf16|fp8|mxfp8|nvfp4|fp8-rowwise|fp8-rowwise-gw-hp: precision of the linear
            layers' matrix products; the topology's [gpu] table must give a rate for it. fp8 has one
            scale per tensor, fp8-rowwise one per row (torchao's recipe rowwise); with -gw-hp, the
            weights' gradients are BF16 products (default: bf16)
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
        optimizer_precision: precision of what the optimizer keeps. fp32: weights and moments;
            bf16-moments: FP32 weights and BF16 moments; bf16: nothing in FP32: it updates the
            model's BF16 weights, as in pure BF16 training (with zero 3, gradients' shards are BF16
            too) (default: fp32)
        gradient_precision: fp32|bf16: precision of uncompressed reductions and of the gradient
            buffer (ZeRO-3's shards have the precision of the weights that the optimizer updates)
            (default: fp32)
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
            copy_engine of all_gather and all_to_all; chain of broadcast; direct of send_receive;
            fastest (as auto, but never by nccl); or a list as in NCCL_ALGO: ring,tree or
            ^nvls,nvlstree or ring;allreduce:^tree (default: the topology's collectives.algorithm)
        protocol: protocol of collectives that have it, refused if none has: auto (the fastest for
            each size), ll, ll128, simple, or a list as in NCCL_PROTO: ^ll128 (default: the
            topology's collectives.protocol)
        nccl: version of NCCL whose tuner chooses algorithm and protocol for each size (2.18 to
            2.29, or a release: 2.26.2); off: the fastest by the costs here (default: the topology's
            collectives.nccl)
        calibration: kernel times: auto, roofline, a shipped name or a file (default: auto)
        codec_time: factor by which to multiply the codec kernels' calibrated times (default: 1)
        host_codecs: the hosts' processors encode and decode, between sites only the exchange there,
            each GPU's share on threads of its own, in the times of this table: a file that
            gardenhose-calibrate measured on a CPU, or a shipped name (default: GPUs do)
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
