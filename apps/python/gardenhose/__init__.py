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
from ._commands.bom import PartsList, bom
from ._commands.check import check
from ._commands.collective import CollectiveTime, collective
from ._commands.compare import Comparison, compare
from ._commands.fit import Fit, fit
from ._commands.flags import Flags
from ._commands.map import MapPoint
from ._commands.map import map as map  # not in __all__, and so not in place of Python's by import *
from ._commands.plan import Plans, plan
from ._commands.report import Report
from ._commands.run import run
from ._commands.solve import Solution, solve
from ._commands.sweep import sweep
from ._commands.validate import validate
from ._frame import frame
from ._list import list as list  # the same
from ._many import run_many
from ._plot import plot
from ._program import program, version
from ._results import Record, Records
from ._sweep import Checked, Point

__version__: str

__all__ = ["Checked", "CollectiveTime", "Comparison", "Fit", "Flags", "InputError", "MapPoint",
           "PartsList", "Plans", "Point", "Record", "Records", "Report", "Solution", "bom", "check",
           "collective", "compare", "fit", "frame", "plan", "plot", "program", "run", "run_many",
           "solve", "sweep", "validate"]


def __getattr__(name: str) -> str:
    if name == "__version__":  # the program's, which has to be started
        return version()
    raise AttributeError(f"module 'gardenhose' has no attribute '{name}'")
