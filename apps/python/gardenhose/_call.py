# SPDX-License-Identifier: Apache-2.0
"""Calls of the program: one call is one process."""

from __future__ import annotations

import signal
import subprocess
import warnings
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Type

from . import _progress
from ._arguments import InputError, arguments_of, in_python, is_list, merged
from ._process import run_to_end
from ._program import CANNOT_START, missing_libraries, program
from ._results import R, Records, parsed, record, records
from ._commands.flags import REPEATED

_WRONG_INPUT = 2


def ended(arguments: Sequence[str], accepted: Sequence[int] = (0,),
          started: Optional[List[subprocess.Popen[str]]] = None,
          ) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end; raises unless its exit code is one of those accepted."""
    path = program()
    # Of calls that others started together, these show the progress.
    show = _progress.place() if started is None else None
    done = run_to_end([path, *arguments], show, started)
    if done.returncode not in accepted:
        _fail(path, done.returncode, done.stderr.strip())
    return done


def _fail(path: str, code: int, said: str) -> NoReturn:
    if code == _WRONG_INPUT:
        raise InputError(in_python(said))
    if code in (-signal.SIGINT, 128 + signal.SIGINT):
        raise KeyboardInterrupt
    if code == CANNOT_START and (missing := missing_libraries(path)):
        raise RuntimeError(missing)
    how = f"ended by {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"
    raise RuntimeError(f"gardenhose: {how}" + (f": {said}" if said else ""))


def warn(said: str, stacklevel: int) -> None:
    """The program's warnings, as those of the line that called the module."""
    for line in said.splitlines():
        if line.startswith("warning: "):
            warnings.warn(in_python(line[len("warning: "):]), stacklevel=stacklevel + 1)


def _printed(command: str, given: Mapping[str, object]) -> Any:
    """The JSON of a command whose function was called with `given`, its local variables."""
    flags = dict(given)
    inputs = merged(flags.pop("inputs", None), flags)
    done = ended([*arguments_of(command, inputs, REPEATED), "--format=json"])
    warn(done.stderr, 4)  # above this function, one() or several(), and the command's
    return parsed(done.stdout)


def one(kind: Type[R], command: str, given: Mapping[str, object]) -> R:
    """The result of a command that prints one object."""
    return record(kind, _printed(command, given))


def several(kind: Type[R], command: str, given: Mapping[str, object]) -> Records[R]:
    """The result of a command that prints a list of objects."""
    printed = _printed(command, given)
    return records(kind, printed if isinstance(printed, list) else [printed])


def run_arguments(inputs: Dict[str, object]) -> List[str]:
    """Of `run`, whose flags take one value each, but for the scheme."""
    for key, value in inputs.items():
        several = is_list(value) or isinstance(value, Mapping)
        if several and key not in ("scheme", *REPEATED):
            raise TypeError(f"{key}: holds a {type(value).__name__}; write a string, a number, "
                            "True or False")
    scheme = inputs.get("scheme")
    if isinstance(scheme, str) and ("," in scheme or scheme == "all"):
        raise InputError(f"scheme: '{scheme}' is several schemes; "
                         f"write a list, {scheme.split(',')}")
    return [*arguments_of("run", inputs, REPEATED), "--format=json"]


def reports(kind: Type[R], printed: Any, inputs: Mapping[str, object]) -> Any:
    """A list where `scheme` is one; else the last, before which run may show its baseline."""
    found = records(kind, printed if isinstance(printed, list) else [printed])
    return found if is_list(inputs.get("scheme")) else found[-1]


def simulated(kind: Type[R], inputs: Optional[Mapping[str, object]],
              flags: Mapping[str, object]) -> Any:
    """The result of run()."""
    given = merged(inputs, flags)
    done = ended(run_arguments(given))
    warn(done.stderr, 3)
    return reports(kind, parsed(done.stdout), given)
