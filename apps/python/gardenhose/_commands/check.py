# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""check(), and what it returns."""

from __future__ import annotations

import os
from typing import Optional, Union

from .._arguments import Named, Values
from .._sweep import Checked, checked


def check(what: Union[str, os.PathLike[str], None] = None, *, baseline: Optional[Values] = None,
          update: Optional[bool] = None, tolerance: Optional[Named] = None,
          require: Optional[Values] = None, strict: Optional[bool] = None,
          junit: Optional[Values] = None, markdown: Optional[Values] = None,
          annotations: Optional[Values] = None, jobs: Optional[Values] = None,
          measured: Optional[Values] = None, trace: Optional[Values] = None,
          topology: Optional[Values] = None, model: Optional[Values] = None,
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
          deadline: Optional[Values] = None, balance: Optional[Values] = None) -> Checked:
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

    As of run(): topology, model, from_, scheme, nodes, gpus_per_node, node_placement, traffic,
    sequence, tp, pp, cp, cp_exchange, cp_heads, ep, etp, dispatcher, dispatch_sms, virtual_stages,
    count_ends, stage_layers, placement, micro_batch, accumulation, global_batch, sequence_parallel,
    recompute, offload_activations, routing, capacity_factor, zero, hybrid_shard, reshard,
    unit_layers, prefetch, backward_prefetch, gradient_sync, offload_weights, stack, attention,
    kernels, cuda_graphs, power_throttling, loss, precision, weight_precision, optimizer,
    optimizer_state, optimizer_precision, gradient_precision, overlap, bucket_size, algorithm,
    protocol, nccl, calibration, codec_time, host_codecs, host_issue, step_by_step, each_kernel,
    whole, set, inner_scheme, deadline, balance.

    Returns Checked, which is true if no point fails.
    """
    return checked(locals())
