# SPDX-License-Identifier: Apache-2.0
"""The program that simulates: where it is, and what is missing where it cannot start."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path
from typing import List, Optional

CANNOT_START = 127  # the exit code, as the system's loader has it

_HERE = Path(__file__).parent
_INSTALLED = _HERE / "bin" / "gardenhose"  # of a wheel
_BUILT = _HERE.parents[1] / "gardenhose"  # of a build folder, whose python/gardenhose this is


def program() -> str:
    """The program that calls start.

    $GARDENHOSE, else the one that was installed with this module, else the one of the build folder
    that this module lies in, else the one on PATH. Raises FileNotFoundError where there is none.
    """
    return os.environ.get("GARDENHOSE") or own_program()


def own_program() -> str:
    """The same without $GARDENHOSE."""
    for place in (_INSTALLED, _BUILT):
        if place.is_file():
            return str(place)
    found = shutil.which("gardenhose")
    if found is None:
        raise FileNotFoundError("gardenhose: the program is neither here nor on PATH; install its "
                                "wheel or Debian package, or set $GARDENHOSE to its path")
    return found


@functools.lru_cache(maxsize=None)
def version() -> str:
    """That of the program, such as "0.9.0"."""
    printed = subprocess.run([program(), "--version"], check=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, encoding="utf-8").stdout
    return printed.split()[1]


def missing_libraries(path: str) -> Optional[str]:
    """What to install where the program lacks shared libraries; None where it has them all."""
    # The system's loader lists the libraries and does not start the program.
    listed = subprocess.run([path], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}, check=False,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, encoding="utf-8", errors="replace")
    missing = [line.split()[0] for line in listed.stdout.splitlines() if line.endswith("not found")]
    if not missing:
        return None
    packages = _packages_of(missing)
    remedy = f"apt-get install {' '.join(packages)}" if packages else "install what provides them"
    return f"gardenhose: cannot start without {', '.join(missing)}; {remedy}"


def _packages_of(libraries: List[str]) -> List[str]:
    """Debian's packages of the libraries, by the list that was made with the wheel."""
    try:
        lines = (_HERE / "libraries.txt").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    packages = dict(line.split() for line in lines)
    return sorted({packages[library] for library in libraries if library in packages})
