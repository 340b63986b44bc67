# SPDX-License-Identifier: Apache-2.0
"""A process that ends with the call that started it."""

from __future__ import annotations

import subprocess
import threading
from typing import Callable, List, Optional

from . import _progress


def run_to_end(command: List[str], show: Optional[Callable[[str], None]] = None,
               started: Optional[List[subprocess.Popen[str]]] = None,
               ) -> subprocess.CompletedProcess[str]:
    """Waits for the command and returns what it printed.

    `show` gets its progress. What ends the wait, such as Ctrl-C, ends the command; so may others
    that hold `started`, to which the process is added. Raises OSError where it cannot start.
    """
    processes: List[subprocess.Popen[str]] = [] if started is None else started
    failed: List[Exception] = []
    errors = _progress.Terminal(show) if show else None

    def start() -> None:
        try:
            processes.append(subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=errors.write_end if errors else subprocess.PIPE,
                encoding="utf-8", errors="backslashreplace"))
        except Exception as error:
            failed.append(error)

    # Handlers of signals run in the main thread alone. In another, none of them can come between
    # the start of the process and the list that it is ended by.
    starter = threading.Thread(target=start)
    try:
        starter.start()
        starter.join()
        if failed:
            raise failed[0]
        if errors:
            errors.start()
        out, err = processes[-1].communicate()
        return subprocess.CompletedProcess(command, processes[-1].returncode, out,
                                           errors.finish() if errors else err)
    finally:
        if starter.is_alive():
            starter.join()
        for process in processes:
            with process:  # which closes its pipes and waits
                process.kill()
        if errors:
            errors.close()
