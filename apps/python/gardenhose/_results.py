# SPDX-License-Identifier: Apache-2.0
"""Results: the program's JSON with attributes, as dicts and lists that notebooks show as tables."""

from __future__ import annotations

import difflib
import functools
import json
import typing
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Type, TypeVar

from . import _html


class Record(Dict[str, Any]):
    """An object of the program's JSON: record["step_time_s"] is record.step_time_s."""

    if not TYPE_CHECKING:  # type checkers know each class's figures

        def __getattr__(self, name):
            try:
                return self[name]
            except KeyError:
                # Notebooks ask for many names that begin with _.
                near = [] if name[0] == "_" else difflib.get_close_matches(name, self, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise AttributeError(f"{type(self).__name__} has no {name}{hint}") from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self]

    def _repr_html_(self) -> str:
        return _html.record(self)


class AnyRecord(Record):
    """A record whose keys are not known beforehand."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def parsed(text: str) -> Any:
    """JSON whose objects have attributes."""
    return json.loads(text, object_hook=AnyRecord)


R = TypeVar("R", bound=Record)


class Records(List[R]):
    """A list of records."""

    def _repr_html_(self) -> str:
        return _html.records(self)


@functools.lru_cache(maxsize=None)
def _parts(kind: Type[Record]) -> Dict[str, Any]:
    """The keys of the class that hold other records, with their types."""
    hints = typing.get_type_hints(kind)
    return {key: hint for key, hint in hints.items() if _record_in(hint) is not None}


def _record_in(hint: Any) -> Any:
    """The record that the type holds: by itself, in a list, or where it is not None."""
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint
    found = [_record_in(one) for one in typing.get_args(hint)]
    return next((one for one in found if one is not None), None)


def record(kind: Type[R], printed: Dict[str, Any]) -> R:
    """The object as `kind`, and its parts as theirs."""
    made = kind(printed)
    for key, hint in _parts(kind).items():
        value, part = made.get(key), _record_in(hint)
        if isinstance(value, dict):
            made[key] = record(part, value)
        elif isinstance(value, list):
            made[key] = records(part, value)
    return made


def records(kind: Type[R], printed: Iterable[Dict[str, Any]]) -> Records[R]:
    return Records(record(kind, one) for one in printed)
