# SPDX-License-Identifier: Apache-2.0
"""run(): one call is one process of the program."""

from __future__ import annotations

import json
import signal
import warnings
from typing import (TYPE_CHECKING, Any, Dict, List, Mapping, NoReturn, Optional, Tuple, Union,
                    overload)

from ._arguments import InputError, Value, arguments_of
from ._process import run_to_end
from ._program import CANNOT_START, missing_libraries, program
from ._types import Flags, Report

if TYPE_CHECKING:
    from typing_extensions import Unpack  # which type checkers bring along

_WRONG_INPUT = 2


@overload
def run(inputs: None = None, *, scheme: Union[List[Any], Tuple[Any, ...]],
        **flags: Unpack[Flags]) -> List[Report]: ...
@overload
def run(inputs: None = None, *, scheme: Value = ..., **flags: Unpack[Flags]) -> Report: ...
@overload
def run(inputs: Mapping[str, object], **flags: object) -> Any: ...
def run(inputs: Optional[Mapping[str, object]] = None, **flags: object) -> Any:
    """Simulates one training step or, on a topology of several sites, rounds of steps.

    Pass the inputs as a dict, by keyword, or both:

    - flags of `gardenhose run` without the first dashes, e.g. "micro-batch", or micro_batch;
    - keys of input files, as --set takes them, e.g. "network.nic_bandwidth": "200 Gbps".

    Values are texts, with a unit where there is one ("200 Gbps", "160 MiB"), numbers, paths, and
    True and False for on and off. "topology" and "model" are required; "scheme" may be a list.

    Returns a dict, the JSON of `gardenhose run`, whose keys name their units: step_time_s,
    tokens_per_s, memory_per_gpu_bytes, energy_j. If "scheme" is a list, returns a list of dicts,
    preceded by the baseline's if there is one.

    Raises:
        InputError: an input is invalid; the message says which one, why, and what to write.
        TypeError: an input is not a string, a number, a path, True or False.
        OSError: the program is missing or cannot be started.
        RuntimeError: the program crashes, or lacks a shared library.
        KeyboardInterrupt: Ctrl-C, which also ends the program.

    Warns (UserWarning) when a step needs more memory than a GPU has.
    """
    given = _merged(inputs, flags)
    path = program()
    ended = run_to_end([path, *arguments_of(given)])
    if ended.returncode != 0:
        _fail(path, ended.returncode, ended.stderr.strip())
    for line in ended.stderr.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line[len("warning: "):], stacklevel=2)
    return _reports(json.loads(ended.stdout), isinstance(given.get("scheme"), (list, tuple)))


def _merged(inputs: Optional[Mapping[str, object]],
            flags: Mapping[str, object]) -> Dict[str, object]:
    if inputs is not None and not isinstance(inputs, Mapping):
        raise TypeError(f"inputs: holds a {type(inputs).__name__}; write a dict, or keywords")
    merged = dict(inputs or {})
    for key, value in flags.items():
        if key in merged:
            raise InputError(f"--{key.replace('_', '-')}: given twice")
        merged[key] = value
    return merged


def _fail(path: str, code: int, said: str) -> NoReturn:
    if code == _WRONG_INPUT:
        raise InputError(said)
    if code == -signal.SIGINT:
        raise KeyboardInterrupt
    if code == CANNOT_START and (missing := missing_libraries(path)):
        raise RuntimeError(missing)
    ended = f"ended by {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"
    raise RuntimeError(f"gardenhose: {ended}" + (f": {said}" if said else ""))


def _reports(printed: Union[Report, List[Report]], as_list: bool) -> Union[Report, List[Report]]:
    """A list where `scheme` is one; else the last, before which run may show its baseline."""
    reports = printed if isinstance(printed, list) else [printed]
    return reports if as_list else reports[-1]
