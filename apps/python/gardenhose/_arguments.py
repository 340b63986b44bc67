# SPDX-License-Identifier: Apache-2.0
"""Inputs of run() as arguments of `gardenhose run`. The program checks what they say."""

from __future__ import annotations

import json
import math
import operator
import os
from typing import Dict, List, Mapping, SupportsFloat, SupportsIndex, Union

# True and False stand for "on" and "off". NumPy's numbers are numbers.
Value = Union[str, bool, SupportsIndex, SupportsFloat, "os.PathLike[str]"]


class InputError(ValueError):
    """An input is invalid. The message says which one, why, and what to write instead."""


def _is_truth(value: object) -> bool:
    """Whether the value is a bool, or NumPy's, which is a number too."""
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"


def _number(key: str, value: SupportsFloat) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"--{key}: {number} is not finite; write a number")
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


def _schemes(value: object) -> Union[str, bool, int, float]:
    if isinstance(value, (list, tuple)):
        return ",".join(str(_plain("scheme", one)) for one in value)
    plain = _plain("scheme", value)
    if isinstance(plain, str) and ("," in plain or plain == "all"):
        raise InputError(f"--scheme: '{plain}' is several schemes; "
                         f"write a list, {plain.split(',')}")
    return plain


def _flag(key: str, value: object) -> str:
    plain = _schemes(value) if key == "scheme" else _plain(key, value)
    if isinstance(plain, bool):
        return f"--{key}={'on' if plain else 'off'}"
    return f"--{key}={plain}"


def _setting(key: str, value: object) -> str:
    # In quotes, or the text "1" would be taken for a number. JSON's texts and numbers are TOML's.
    return f"--set={key}={json.dumps(_plain(key, value), ensure_ascii=False)}"


def _key(name: object) -> str:
    """As run spells it: micro_batch, a name that Python likes, is micro-batch."""
    if not isinstance(name, str):
        raise TypeError(f"{name!r}: a key is a {type(name).__name__}; write a string")
    key = name if "." in name else name.replace("_", "-")
    if key == "format":
        raise InputError("--format: run() returns JSON, as a dict; leave it out")
    if key == "help":
        raise InputError("--help: run() returns reports; see `gardenhose run --help`")
    return key


def arguments_of(inputs: Mapping[str, object]) -> List[str]:
    """The command line, without the program."""
    arguments: Dict[str, str] = {}
    for name, value in inputs.items():
        key = _key(name)
        if key in arguments:
            raise InputError(f"--{key}: given twice")
        argument = _setting(key, value) if "." in key else _flag(key, value)
        if "\0" in argument:
            raise InputError(f"--{key}: holds a null character; write it without")
        arguments[key] = argument
    return ["run", "--format=json", *arguments.values()]
