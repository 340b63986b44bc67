# SPDX-License-Identifier: Apache-2.0
"""run_many(): runs of their own, side by side."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _progress
from ._arguments import InputError, is_list, merged
from ._call import ended, reports, run_arguments, warn
from ._results import parsed
from ._commands.report import Report

_FIRST_SHOWN_S = 2  # as the program
_POLL_S = 0.02
_Ended = Union[Tuple[Report, str], InputError]  # a report and the program's warnings


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run(inputs: Mapping[str, object], alone: bool,
         started: List[subprocess.Popen[str]]) -> _Ended:
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


class _Runs:
    """Threads that run the points. Once stopped, a thread that has not begun yet runs nothing."""

    def __init__(self, points: Sequence[Mapping[str, object]], jobs: int) -> None:
        self._points, self._alone = points, jobs == 1
        self._left = iter(range(len(points)))
        self._lock = threading.Lock()
        self._stopped = False
        self._started: List[List[subprocess.Popen[str]]] = [[] for _ in points]
        self._threads = [threading.Thread(target=self._work) for _ in range(jobs)]
        self.results: Dict[int, _Ended] = {}
        self.failed: List[BaseException] = []

    def _next(self) -> Optional[int]:
        with self._lock:
            return None if self._stopped else next(self._left, None)

    def _work(self) -> None:
        while (place := self._next()) is not None:
            try:
                self.results[place] = _run(self._points[place], self._alone, self._started[place])
            except BaseException as error:
                self.failed.append(error)
                return

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def go_on(self) -> bool:
        """Waits a little; whether any still runs."""
        running = [thread for thread in self._threads if thread.is_alive()]
        if running:
            running[0].join(_POLL_S)
        return bool(running) and not self.failed

    def stop(self) -> None:
        """Ends all runs, also those that are just being started."""
        self._stopped = True
        while any(thread.is_alive() for thread in self._threads):
            for process in [one for several in self._started for one in several]:
                process.kill()
            time.sleep(_POLL_S)


def _wait(runs: _Runs, count: int) -> None:
    """How many have ended is shown where somebody sees it."""
    show = _progress.place()
    begun = time.monotonic()
    shown = ""
    while runs.go_on():
        line = f"run_many: {len(runs.results)} of {count}"
        if show and line != shown and time.monotonic() - begun > _FIRST_SHOWN_S:
            show(line)
            shown = line
    if show and shown:
        show("")


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
    runs = _Runs(points, min(count, len(points)))
    try:
        runs.start()
        _wait(runs, len(points))
    finally:
        runs.stop()
    if runs.failed:
        raise runs.failed[0]
    results = [runs.results[place] for place in range(len(points))]
    for result in results:
        if not isinstance(result, InputError):
            warn(result[1], 2)
    return [one if isinstance(one, InputError) else one[0] for one in results]
