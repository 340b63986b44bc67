# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""fit(), and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Literal, Optional

from .._arguments import Named, Values
from .._call import one
from .._results import Record
from .units import Number, Count, Text, Truth, Bytes


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


class FitDiagnosisParts(Record):
    """One of `parts`."""

    part: Text
    standing: Text
    share: Number
    low: Number
    high: Number
    gain: Number
    by_priors: Truth

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "part", "standing", "share", "low", "high", "gain", "by_priors"
        ]) -> Any: ...


class FitDiagnosis(Record):
    """`diagnosis`."""

    sentences: List[Text]
    measured_over_predicted: Number
    measure: Text
    parts: List[FitDiagnosisParts]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "sentences", "measured_over_predicted", "measure", "parts"
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
    diagnosis: FitDiagnosis
    constants: List[FitConstants]
    errors: FitErrors
    carries: FitCarries
    misfits: List[Any]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "schema_version", "base", "logs", "diagnosis", "constants", "errors", "carries",
            "misfits"
        ]) -> Any: ...


def fit(log: Optional[Values] = None, *, trace: Optional[Values] = None,
        steps: Optional[Values] = None, topo: Optional[Values] = None,
        collective: Optional[Values] = None, hold_out: Optional[Values] = None,
        output: Optional[Values] = None, force: Optional[bool] = None,
        jobs: Optional[Values] = None, topology: Optional[Values] = None,
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
        deadline: Optional[Values] = None, balance: Optional[Values] = None) -> Fit:
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
        force: take a fit that is hard to believe: write the cluster file and exit with 0 all the
            same
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

    Returns a Fit: the constants and their errors.
    """
    return one(Fit, "fit", locals())
