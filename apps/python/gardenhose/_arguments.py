# SPDX-License-Identifier: Apache-2.0
"""Inputs of a call as arguments of the program, which checks what they say."""

from __future__ import annotations

import json
import math
import operator
import os
import re
from typing import (TYPE_CHECKING, Dict, List, Mapping, Sequence, SupportsFloat, SupportsIndex,
                    Union)

if TYPE_CHECKING:
    from typing_extensions import TypeGuard  # which type checkers bring along

# True and False stand for "on" and "off". NumPy's numbers are numbers.
Value = Union[str, bool, SupportsIndex, SupportsFloat, "os.PathLike[str]"]
Values = Union[Value, Sequence[Value]]
# KEY=VALUE of flags that take it, such as set={"network.nic_bandwidth": "200 Gbps"}.
Named = Union[Values, Mapping[str, object]]

_SIDES = ("a", "b")  # of compare: each holds flags of its own


class InputError(ValueError):
    """An input is invalid. The message says which one, why, and what to write instead."""


def in_python(message: str) -> str:
    """The program's message with flags as keywords: `--micro-batch: ...` is `micro_batch: ...`.

    Commands in backquotes stay as a terminal takes them.
    """
    parts = message.split("`")
    for place in range(0, len(parts), 2):
        text = re.sub(r"(?<!\S)--set[ =](?=[\w.-]+:)", "", parts[place])
        parts[place] = re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*)", _keyword, text)
    return "`".join(parts)


def _keyword(flag: re.Match[str]) -> str:
    return flag[1].replace("-", "_")


def _is_truth(value: object) -> bool:
    """Whether the value is a bool, or NumPy's, which is a number too."""
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, (list, tuple))


def _number(key: str, value: SupportsFloat) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{key}: {number} is not finite; write a number")
    return number


def _plain(key: str, value: object) -> Union[str, bool, int, float]:
    if _is_truth(value):
        return bool(value)
    if isinstance(value, str):
        return value
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    if isinstance(value, SupportsFloat):
        return _number(key, value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    raise TypeError(
        f"{key}: holds a {type(value).__name__}; write a string, a number, True or False")


def _text(key: str, value: object) -> str:
    """As a flag takes it."""
    plain = _plain(key, value)
    return ("on" if plain else "off") if isinstance(plain, bool) else str(plain)


def _joined(key: str, value: object) -> str:
    """The same; values of a list are separated by commas."""
    return ",".join(_text(key, one) for one in (value if is_list(value) else [value]))


def _setting(key: str, value: object) -> str:
    # In quotes, or the text "1" would be taken for a number. JSON's texts and numbers are TOML's.
    return f"{key}={json.dumps(_plain(key, value), ensure_ascii=False)}"


def _quoted(argument: str) -> str:
    """As compare parts the flags of a side."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _side(flags: Mapping[str, object]) -> str:
    return " ".join(_quoted(argument) for argument in _flags_of(flags))


def _texts(key: str, value: object, repeats: bool) -> List[str]:
    """The values of the flag's occurrences."""
    if isinstance(value, Mapping):
        if key in _SIDES:
            return [_side(value)]
        if key == "set":
            return [_setting(name, one) for name, one in value.items()]
        return [f"{name}={_joined(f'{key} {name}', one)}" for name, one in value.items()]
    if repeats and is_list(value):
        return [_text(key, one) for one in value]
    return [_joined(key, value)]


def _key(name: object) -> str:
    """As the program spells it: micro_batch, a name that Python likes, is micro-batch, and from_ is from."""
    if not isinstance(name, str):
        raise TypeError(f"{name!r}: a key is a {type(name).__name__}; write a string")
    key = name if "." in name else name.rstrip("_").replace("_", "-")
    if key == "format":
        raise InputError("format: results are Python's; leave it out")
    if key == "help":
        raise InputError("help: see help() of the function, or `gardenhose COMMAND --help`")
    return key


def _flags_of(inputs: Mapping[str, object], repeated: Sequence[str] = ("set",)) -> List[str]:
    arguments: Dict[str, List[str]] = {}
    for name, value in inputs.items():
        key = _key(name)
        shown = key.replace("-", "_")
        if key in arguments:
            raise InputError(f"{shown}: given twice")
        arguments[key] = ([f"--set={_setting(key, value)}"] if "." in key else
                          [f"--{key}={text}" for text in _texts(shown, value, key in repeated)])
        if any("\0" in argument for argument in arguments[key]):
            raise InputError(f"{shown}: holds a null character; write it without")
    return [argument for several in arguments.values() for argument in several]


def arguments_of(command: str, inputs: Mapping[str, object],
                 repeated: Sequence[str] = ("set",)) -> List[str]:
    """The command line, without the program. `repeated` are flags that are given once a value."""
    return [command, *_flags_of(inputs, repeated)]


def merged(inputs: object, flags: Mapping[str, object]) -> Dict[str, object]:
    """A dict of inputs and keywords as one; a keyword that is None was not given."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise TypeError(f"inputs: holds a {type(inputs).__name__}; write a dict, or keywords")
    both: Dict[str, object] = dict(inputs or {})
    for key, value in flags.items():
        if value is None:
            continue
        if key in both:
            raise InputError(f"{key}: given twice")
        both[key] = value
    return both
