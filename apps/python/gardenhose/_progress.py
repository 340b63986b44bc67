# SPDX-License-Identifier: Apache-2.0
"""Progress of a call that takes seconds: the program's own line, where Python has a terminal or a
notebook to show it."""

from __future__ import annotations

import codecs
import os
import re
import sys
import threading
import tty
from typing import Callable, Optional

_CLEAR = "\r\033[K"  # before each line of progress
_PROGRESS = re.compile(r"\r\033\[K([^\r\n]*)(?=\r|\Z)")  # what ends a line is a message


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules and not sys.stderr.isatty()


def place() -> Optional[Callable[[str], None]]:
    """What shows a line of progress in place of the last one; None where nobody would see it."""
    if sys.stderr is None or not (sys.stderr.isatty() or _in_notebook()):
        return None
    width = 0

    def show(line: str) -> None:
        nonlocal width
        # Blanks, because notebooks know no sequence that clears a line.
        sys.stderr.write("\r" + line.ljust(width) + ("" if line else "\r"))
        sys.stderr.flush()
        width = len(line)

    return show


class Terminal:
    """The program's standard error: a terminal to it, from which messages and progress are read."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._read_end, self.write_end = os.openpty()
        tty.setraw(self.write_end)  # or line ends would be changed
        self._printed = ""
        self._shown = ""
        self._reader = threading.Thread(target=self._read, daemon=True)

    def start(self) -> None:
        """Reads; the process has the other end, so that this one ends with it."""
        os.close(self.write_end)
        self.write_end = -1
        self._reader.start()

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        begun = 0  # of what may be a line of progress
        while chunk := self._next_chunk():
            self._printed += decoder.decode(chunk)
            for place in _PROGRESS.finditer(self._printed, begun):
                begun = place.start()
                if place[1] and place[1] != self._shown:
                    self._shown = place[1]
                    self._show(place[1])

    def _next_chunk(self) -> bytes:
        try:
            return os.read(self._read_end, 4096)
        except OSError:  # nobody writes any more
            return b""

    def finish(self) -> str:
        """The messages, once the process has ended."""
        self._reader.join()
        return _PROGRESS.sub("", self._printed).replace(_CLEAR, "")

    def close(self) -> None:
        if self.write_end != -1:
            os.close(self.write_end)
        if self._reader.ident is not None:
            self._reader.join()
        os.close(self._read_end)
        if self._shown:
            self._show("")
