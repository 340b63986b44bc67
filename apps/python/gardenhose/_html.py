# SPDX-License-Identifier: Apache-2.0
"""Results as tables of HTML, for notebooks. A figure's unit is the end of its key."""

from __future__ import annotations

import html
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple

_UNITS = (("_per_s", "/s"), ("_Bps", "B/s"), ("_s", "s"), ("_j", "J"), ("_W", "W"),
          ("_usd", "USD"), ("_USD", "USD"))
_PREFIXED = {"s": ((1, ""), (1e-3, "m"), (1e-6, "u")),
             "B": ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")),
             "B/s": ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")),
             "J": ((1e9, "G"), (1e6, "M"), (1e3, "k")), "W": ((1e6, "M"), (1e3, "k"))}
_MOST_COLUMNS = 20


def flat(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A point of a sweep with its inputs and its report's figures; others as they are."""
    if "report" not in row:
        return row
    return {"number": row["number"], "state": row["state"], **(row["report"] or {}),
            **(row["inputs"] or {})}


def _unit(key: str) -> str:
    if "bytes" in key.split("_"):
        return "B"
    return next((unit for end, unit in _UNITS if key.endswith(end)), "")


def _number(value: float, unit: str) -> str:
    if unit in _PREFIXED:
        for factor, prefix in _PREFIXED[unit]:
            if abs(value) >= factor:
                return f"{value / factor:.4g} {prefix}{unit}"
    text = f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return text if not unit else text + unit if unit == "/s" else f"{text} {unit}"


def text(key: str, value: object) -> str:
    """A value with its unit."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _number(value, _unit(key))
    return str(value)


def bounds(row: Mapping[str, Any], key: str) -> Optional[Tuple[float, float]]:
    """The likely range of a figure, where the row has one."""
    low, high = row.get(f"{key}_low"), row.get(f"{key}_high")
    return None if low is None or high is None else (low, high)


def _cell(row: Mapping[str, Any], key: str) -> str:
    shown = html.escape(text(key, row.get(key)))
    likely = bounds(row, key)
    if likely is None:
        return shown
    low, high = (html.escape(text(key, end)) for end in likely)
    return f"{shown} <small>({low} to {high})</small>"


def _is_end(row: Mapping[str, Any], key: str) -> bool:
    stem = key[:-4] if key.endswith("_low") else key[:-5] if key.endswith("_high") else ""
    return stem in row and bounds(row, stem) is not None


def _shown(row: Mapping[str, Any]) -> List[str]:
    """Keys of one value each that say something; those of a range stand beside its figure."""
    return [key for key, value in row.items()
            if value is not None and not isinstance(value, (dict, list)) and not _is_end(row, key)]


def _table(lines: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    top = f"<thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead>" if head else ""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines)
    return f"<table>{top}<tbody>{body}</tbody></table>"


def record(row: Mapping[str, Any]) -> str:
    """A line for each figure, and below it each part that has figures of its own."""
    made = _table([html.escape(key), _cell(row, key)] for key in _shown(row))
    for key, value in row.items():
        if value and isinstance(value, (dict, list)):
            made += f"<details><summary>{html.escape(key)}</summary>{_part(value)}</details>"
    return made


def _part(value: Any) -> str:
    if isinstance(value, dict):
        return record(value)
    if all(isinstance(one, dict) for one in value):
        return records(value)
    return html.escape(", ".join(str(one) for one in value))


def records(given: Sequence[Mapping[str, Any]]) -> str:
    """A line for each record, with the figures in which they differ."""
    rows = [flat(row) for row in given]
    keys = list(dict.fromkeys(key for row in rows for key in _shown(row)))
    differ = [key for key in keys if len({str(row.get(key)) for row in rows}) > 1]
    columns = (differ or keys)[:_MOST_COLUMNS]
    return _table(([_cell(row, key) for key in columns] for row in rows),
                  [html.escape(key) for key in columns])
