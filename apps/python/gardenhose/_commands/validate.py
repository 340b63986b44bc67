# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""validate(), and what it returns."""

from __future__ import annotations

from typing import Optional

from .._arguments import Values
from .._call import one
from .._results import AnyRecord


def validate(study: Optional[str] = None, *, constants: Optional[bool] = None,
             refit: Optional[bool] = None, each: Optional[bool] = None,
             predictions: Optional[bool] = None, by: Optional[Values] = None,
             power_throttling: Optional[bool] = None, defaults: Optional[bool] = None,
             freeze: Optional[Values] = None, compare: Optional[Values] = None,
             jobs: Optional[Values] = None) -> AnyRecord:
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
            jobs on A100: which are fast, and which fit in memory; memory: published peaks of a
            GPU's memory; streaming-diloco: table 4 of its paper; sparseloco: its published runs;
            nccl: logs of nccl-tests and of XLA, 2 to 72 GPUs; blind: 214 training runs of eleven
            sources, each predicted from the other sources alone; moe: steps of models with experts,
            each predicted from the other sources; context: steps of sequences from 4 thousand to 1
            million tokens, likewise; pairs: steps and exchanges measured with and without
            low-precision communication; ranges: speed-ups of compression with their likely ranges,
            as if no constant were fitted; testbed: steps and rounds of processes on one machine,
            predicted before they were measured; dispatch: dispatch and combine of tokens between
            experts by DeepEP, HybridEP and others; goodput: interruptions and goodputs of training
            runs, by failure rates of other clusters; two-nodes: steps on two nodes of 8 H100 joined
            by 9.1 Gb/s of TCP, DiLoCo's among them; opendiloco: OpenDiLoCo's share of time in
            communication; intellect-1: INTELLECT-1's volume, ring order and utilisation, by
            definition; kernels: kernels that gardenhose-calibrate measured on GPUs, predicted
            without their tables; compiled: published rates of kernels of others, by their machine
            code
        constants: list, instead of predictions, every number that affects a row, with its source
            and the effect of changing it by 10 %
        refit: also refit the constants to the rows named in the cluster files
        each: nccl, blind, moe, context and testbed: also list every row
        predictions: nccl, goodput, two-nodes and opendiloco: print the prediction of every row
            instead, without the measured one; commit them before a comparison to keep it blind
        by: blind: fold|generation: what is left out with a row: its source, or also all rows on
            GPUs of its generation; fold,generation: one after the other, from the same simulations
            (default: fold)
        power_throttling: blind: run the rows of GPUs whose kernels' power is known with
            power_throttling on
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
