# SPDX-License-Identifier: Apache-2.0
"""run_many(): runs of their own, side by side."""

from __future__ import annotations

import os
import subprocess
import time
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _progress
from ._arguments import InputError, is_list, merged
from ._call import ended, reports, run_arguments, warn
from ._results import parsed
from ._types import Report

_FIRST_SHOWN_S = 2  # as the program
_Ended = Union[Tuple[Report, str], InputError]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run(inputs: Mapping[str, object], alone: bool,
         started: List[subprocess.Popen[str]]) -> _Ended:
    """A report and the program's warnings."""
    try:
        given = merged(inputs, {})
        if is_list(given.get("scheme")):
            raise InputError("scheme: is a list; write one scheme, and an element for each")
        if not alone:
            given.setdefault("jobs", 1)
        done = ended(run_arguments(given), started=started)
    except InputError as error:
        return error
    return reports(Report, parsed(done.stdout), given), done.stderr


def _wait(running: Sequence[Future[_Ended]]) -> None:
    """Until all have ended, or one has failed; how many have is shown where somebody sees it."""
    show = _progress.place()
    begun = time.monotonic()
    pending = set(running)
    while pending:
        ended_now, pending = wait(pending, 0.2 if show else None, FIRST_EXCEPTION)
        if any(one.exception() for one in ended_now):
            return
        if show and time.monotonic() - begun > _FIRST_SHOWN_S:
            show(f"run_many: {len(running) - len(pending)} of {len(running)}" if pending else "")


def run_many(inputs: Iterable[Mapping[str, object]], *,
             jobs: Optional[int] = None) -> List[Union[Report, InputError]]:
    """Simulates many jobs at once, each as run() does with one scheme.

    Returns, in order, a Report of each, or the InputError of one that cannot run. The other
    exceptions of run() end all. `jobs` is how many run at once (default: all cores).
    """
    points = list(inputs)
    count = _cores() if jobs is None else jobs
    if count < 1:
        raise InputError(f"jobs: {count} is out of range; write 1 or more")
    started: List[List[subprocess.Popen[str]]] = [[] for _ in points]
    pool = ThreadPoolExecutor(min(count, max(1, len(points))))
    running: List[Future[_Ended]] = []
    try:
        for point, processes in zip(points, started):
            running.append(pool.submit(_run, point, count == 1, processes))
        _wait(running)
        results = [one.result() for one in running]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        while not all(one.done() for one in running):  # after Ctrl-C: one may just have begun
            for process in [one for several in started for one in several]:
                process.kill()
            time.sleep(0.01)
    for result in results:
        if not isinstance(result, InputError):
            warn(result[1], 2)
    return [one if isinstance(one, InputError) else one[0] for one in results]
