# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""sweep(), and what it returns."""

from __future__ import annotations

import os
from typing import Mapping, Optional, Union

from .._arguments import Values
from .._results import Records
from .._sweep import Point, swept


def sweep(spec: Union[str, os.PathLike[str], Mapping[str, object]], *,
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
