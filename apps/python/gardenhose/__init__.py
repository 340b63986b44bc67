# SPDX-License-Identifier: Apache-2.0
"""How fast does this model train over this network, with this communication-compression scheme?

    >>> import gardenhose
    >>> report = gardenhose.run(topology="dgx_h100_x16", model="gpt_6.7b",
    ...                         scheme="sdp4bit", nodes=2)
    >>> report.step_time_s, report["tokens_per_s"]

    >>> reports = gardenhose.run({"topology": "dgx_h100_x16", "model": "gpt_6.7b",
    ...                           "scheme": ["sharded", "sdp4bit"],
    ...                           "network.nic_bandwidth": "200 Gbps"})
    >>> gardenhose.frame(reports)[["scheme", "step_time_s"]]  # a pandas DataFrame
    >>> gardenhose.plot(reports, y="tokens_per_s")            # with likely ranges

Each call starts the program `gardenhose` and releases the global interpreter lock (GIL) while it
waits, so threads run in parallel.
"""

from ._arguments import InputError
from ._commands import bom, check, collective, compare, fit
from ._commands import list as list  # not in __all__, and so not in place of Python's by import *
from ._commands import map as map
from ._commands import plan, run, solve, sweep, validate
from ._frame import frame
from ._many import run_many
from ._plot import plot
from ._program import program, version
from ._results import Record, Records
from ._sweep import Checked, Point
from ._types import (CollectiveTime, Comparison, Fit, Flags, MapPoint, PartsList, Plans, Report,
                     Solution)

__version__: str

__all__ = ["Checked", "CollectiveTime", "Comparison", "Fit", "Flags", "InputError", "MapPoint",
           "PartsList", "Plans", "Point", "Record", "Records", "Report", "Solution", "bom", "check",
           "collective", "compare", "fit", "frame", "plan", "plot", "program", "run", "run_many",
           "solve", "sweep", "validate"]


def __getattr__(name: str) -> str:
    if name == "__version__":  # the program's, which has to be started
        return version()
    raise AttributeError(f"module 'gardenhose' has no attribute '{name}'")
