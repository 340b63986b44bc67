# SPDX-License-Identifier: Apache-2.0
"""How fast does this model train over this network, with this communication-compression scheme?

    >>> import gardenhose
    >>> report = gardenhose.run(topology="dgx_h100_x16", model="gpt_6.7b",
    ...                         scheme="sdp4bit", nodes=2)
    >>> report["step_time_s"], report["tokens_per_s"]

    >>> reports = gardenhose.run({"topology": "dgx_h100_x16", "model": "gpt_6.7b",
    ...                           "scheme": ["sharded", "sdp4bit"],
    ...                           "network.nic_bandwidth": "200 Gbps"})
    >>> gardenhose.frame(reports)[["scheme", "step_time_s"]]  # a pandas DataFrame

Each call starts the program `gardenhose` and releases the global interpreter lock (GIL) while it
waits, so threads run in parallel.
"""

from ._arguments import InputError
from ._frame import frame
from ._program import program
from ._run import run
from ._types import Flags, Report

__all__ = ["Flags", "InputError", "Report", "frame", "program", "run"]
