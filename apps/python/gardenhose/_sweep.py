# SPDX-License-Identifier: Apache-2.0
"""sweep() and check(): commands whose results are in files."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
import xml.etree.ElementTree
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, cast

from ._arguments import InputError, arguments_of, in_python, merged
from ._call import ended
from ._results import AnyRecord, Record, Records, parsed, record, records
from ._commands.flags import REPEATED
from ._commands.report import Report


class Point(Record):
    """A point of a sweep."""

    number: int
    state: str  # done, too_large, refused or crashed
    inputs: AnyRecord
    report: Optional[Report]
    message: Optional[str]


class CheckedPoint(Record):
    """A point of a check."""

    name: str
    passed: bool
    message: str


class Checked(Record):
    """What a check found; it is true if no point failed."""

    passed: bool
    text: str
    points: List[CheckedPoint]

    def __bool__(self) -> bool:
        return self.passed


def _toml(tables: Mapping[str, object], path: str = "") -> str:
    """A spec of a sweep as TOML: JSON's texts, numbers and lists are TOML's."""
    lines: List[str] = [f"[{path}]"] if path else []
    inner: List[str] = []
    for key, value in tables.items():
        name = json.dumps(key, ensure_ascii=False)
        if isinstance(value, Mapping):
            inner.append(_toml(value, f"{path}.{name}" if path else name))
        else:
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False, default=os.fspath)}")
    return "\n".join([*lines, *inner]) + "\n"


def swept(given: Mapping[str, object]) -> Records[Point]:
    """The result of sweep()."""
    flags = merged(None, given)
    if not isinstance(flags["spec"], Mapping):
        return _points(flags)
    with tempfile.TemporaryDirectory(prefix="gardenhose-") as folder:
        flags.setdefault("store", Path(folder) / "points.sqlite")
        # Here, because paths in a spec are relative to its folder.
        with tempfile.NamedTemporaryFile("w", prefix=".gardenhose-", suffix=".toml", dir=".",
                                         encoding="utf-8") as spec:
            spec.write(_toml(flags["spec"]))
            spec.flush()
            try:
                return _points({**flags, "spec": spec.name})
            except InputError as error:
                raise InputError(str(error).replace(spec.name, "spec")) from None


def _points(flags: Mapping[str, object]) -> Records[Point]:
    done = ended(arguments_of("sweep", flags), accepted=(0, 1))
    if done.returncode != 0:  # some crashed, or no point can run with a value
        warnings.warn(in_python((done.stdout + done.stderr).strip()), stacklevel=4)
    store = flags.get("store") or done.stdout.partition(": ")[0]
    text = ended(["export", f"--store={os.fspath(cast(Any, store))}", "--format=jsonl"]).stdout
    return records(Point, map(parsed, filter(None, text.split("\n"))))


def _junit(path: Path) -> List[Dict[str, Any]]:
    if not path.exists():
        return []
    found = []
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        wrong = next((part for part in case if part.tag in ("failure", "error")), None)
        message = "" if wrong is None else (wrong.text or wrong.get("message") or "").strip()
        found.append({"name": case.get("name", ""), "passed": wrong is None, "message": message})
    return found


def checked(given: Mapping[str, object]) -> Checked:
    """The result of check()."""
    flags = merged(None, given)
    with tempfile.TemporaryDirectory(prefix="gardenhose-") as folder:
        if not {"measured", "update"} & set(flags):  # which check no points
            flags.setdefault("junit", Path(folder) / "check.xml")
        done = ended(arguments_of("check", flags, REPEATED), accepted=(0, 1))
        points = _junit(Path(cast(Any, flags["junit"]))) if "junit" in flags else []
    return record(Checked, {"passed": done.returncode == 0, "text": done.stdout, "points": points})
