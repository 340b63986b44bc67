# SPDX-License-Identifier: Apache-2.0
"""The command `gardenhose` of a wheel: becomes the program."""

import os
import sys
from typing import NoReturn

from ._program import CANNOT_START, missing_libraries, own_program


def main() -> NoReturn:
    path = own_program()  # $GARDENHOSE may be this command
    missing = missing_libraries(path)
    if missing:
        print(missing, file=sys.stderr)
        sys.exit(CANNOT_START)
    os.execv(path, ["gardenhose", *sys.argv[1:]])


if __name__ == "__main__":
    main()
