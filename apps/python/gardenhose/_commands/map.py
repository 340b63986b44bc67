# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""map(), and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional

from .._arguments import Named, Values
from .._call import several
from .._results import Record, Records
from .units import Number, Count, Text, Truth, Seconds, BytesPerSecond, TokensPerSecond


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


def map(inputs: Optional[Mapping[str, object]] = None, *, topology: Optional[Values] = None,
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
        sequence_parallel: Optional[Values] = None, recompute: Optional[Values] = None,
        offload_activations: Optional[Values] = None, routing: Optional[Values] = None,
        capacity_factor: Optional[Values] = None, zero: Optional[Values] = None,
        hybrid_shard: Optional[Values] = None, reshard: Optional[Values] = None,
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
        whole: Optional[bool] = None, set: Optional[Named] = None, x: Optional[Named] = None,
        y: Optional[Named] = None, bandwidths: Optional[Values] = None,
        tokens: Optional[Values] = None, jobs: Optional[Values] = None) -> Records[MapPoint]:
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
            buffer (ZeRO-3's shards have the precision of the weights that the optimizer updates)
            (default: chosen)
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

    As of run(): topology, model, from_, nodes, gpus_per_node, node_placement, traffic, sequence,
    pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages, count_ends,
    stage_layers, placement, sequence_parallel, recompute, offload_activations, routing,
    capacity_factor, reshard, unit_layers, prefetch, backward_prefetch, gradient_sync,
    offload_weights, stack, attention, kernels, cuda_graphs, power_throttling, loss, precision,
    optimizer, optimizer_state, optimizer_precision, algorithm, protocol, nccl, calibration,
    codec_time, host_codecs, host_issue, step_by_step, each_kernel, whole, set.

    Returns a MapPoint for each pair of values.
    """
    return several(MapPoint, "map", locals())
