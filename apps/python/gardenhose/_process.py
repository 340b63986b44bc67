# SPDX-License-Identifier: Apache-2.0
"""A process that ends with the call that started it."""

from __future__ import annotations

import subprocess
import threading
from typing import List


def run_to_end(command: List[str]) -> subprocess.CompletedProcess[str]:
    """Waits for the command and returns what it printed.

    What ends the wait, such as Ctrl-C, ends the command. Raises OSError where it cannot start.
    """
    started: List[subprocess.Popen[str]] = []
    failed: List[Exception] = []

    def start() -> None:
        try:
            started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
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
        out, err = started[0].communicate()
        return subprocess.CompletedProcess(command, started[0].returncode, out, err)
    finally:
        if starter.is_alive():
            starter.join()
        for process in started:
            with process:  # which closes its pipes and waits
                process.kill()
