# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""What results are measured in, for editors and type checkers."""

from __future__ import annotations

from typing import Any, Union

# None where it was not asked for, or has no end: so a type checker lets each be anything, too.
Number = Union[float, Any]
Count = Union[int, Any]
Text = Union[str, Any]
Truth = Union[bool, Any]
Seconds = Number
Bytes = Number
BytesPerSecond = Number
Joules = Number
Watts = Number
Dollars = Number
TokensPerSecond = Number
Ratio = Number
Share = Number
Days = Number
