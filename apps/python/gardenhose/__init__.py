"""How fast will this model train over this network, with this communication-compression scheme?

    >>> import gardenhose
    >>> report = gardenhose.run({"topology": "dgx_h100_x16", "model": "gpt_6.7b",
    ...                          "scheme": "sdp4bit", "nodes": 2})
    >>> report["step_time_s"], report["tokens_per_s"]

Keys are flags of `gardenhose run` without the first dashes ("micro-batch", or "micro_batch"), or keys
of input files as --set has them ("network.nic_bandwidth": "200 Gbps"); values are texts, numbers,
True and False. What comes back is run's JSON. Each call is a process of its own, so threads run side
by side.
"""

import os
from pathlib import Path

try:
    from . import _gardenhose
except ImportError as error:
    raise ImportError(
        "gardenhose: its compiled part is missing, or of another Python. In the checkout: apt-get install "
        "pybind11-dev python3-dev, then cmake build/release and cmake --build build/release "
        "--target gardenhose_python") from error
InputError = _gardenhose.InputError

__all__ = ["InputError", "program", "run"]


def program():
    """The executable that runs simulations: the installed one, else $GARDENHOSE, else the build's."""
    here = Path(__file__).resolve().parent
    installed = here / "bin" / "gardenhose"
    if installed.exists():
        return str(installed)
    return os.environ.get("GARDENHOSE") or str(here.parent.parent / "gardenhose")


def run(inputs):
    """Simulates one step, or one round of several sites.

    Returns a dict, run's JSON; where "scheme" is a list, a list of them, after that of the baseline
    where one is given. Raises InputError with the program's line, which says what is wrong and
    where, and RuntimeError where the program crashes. Warns where a step needs more memory than a
    GPU has.
    """
    return _gardenhose.run(program(), inputs)
