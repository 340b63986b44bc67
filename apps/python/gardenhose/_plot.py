# SPDX-License-Identifier: Apache-2.0
"""Results as a plot of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._html import bounds, flat

if TYPE_CHECKING:
    import matplotlib.axes

Row = Mapping[str, Any]
Rows = Union[Row, Sequence[Row]]


def _series(rows: Sequence[Row], by: Optional[str]) -> Dict[str, List[Row]]:
    series: Dict[str, List[Row]] = {}
    for row in rows:
        series.setdefault(str(row.get(by)) if by else "", []).append(row)
    return series


def _errors(rows: Sequence[Row], y: str) -> Optional[Tuple[List[float], List[float]]]:
    """How far the likely range reaches below and above each value; None where no row has one."""
    ranges = [bounds(row, y) or (row[y], row[y]) for row in rows]
    below = [row[y] - low for row, (low, _) in zip(rows, ranges)]
    above = [high - row[y] for row, (_, high) in zip(rows, ranges)]
    return (below, above) if any(below) or any(above) else None


def plot(results: Rows, *, y: str = "tokens_per_s", x: str = "scheme", by: Optional[str] = None,
         axes: Optional[matplotlib.axes.Axes] = None) -> matplotlib.axes.Axes:
    """Plots the figure `y` of results over their key `x`, with likely ranges where there are any.

    Results are Reports, rows of another command, or Points of a sweep, whose inputs are keys too.
    Numbers of `x` make a line, texts make bars. `by` is a key, such as "scheme", with a line for
    each of its values. Draws into `axes`, or into new ones, and returns them.

    Raises ImportError if matplotlib is not installed, and KeyError if no result has the key.
    """
    import matplotlib.pyplot  # takes a second, and other functions need none

    given = [results] if isinstance(results, Mapping) else list(results)
    rows = [row for row in map(flat, given) if row.get(y) is not None]
    for key in (x, y):
        if not any(row.get(key) is not None for row in rows):
            raise KeyError(f"{key}: no result has it")
    drawn = matplotlib.pyplot.subplots()[1] if axes is None else axes
    for name, several in _series(rows, by).items():
        places = [row[x] for row in several]
        values = [row[y] for row in several]
        errors = _errors(several, y)
        if by or all(isinstance(place, (int, float)) for place in places):
            drawn.errorbar(places, values, errors, fmt="o-", capsize=4, label=name or None)
        else:
            drawn.bar(places, values, yerr=errors, capsize=4)
    drawn.set_xlabel(x)
    drawn.set_ylabel(y)
    if by:
        drawn.legend(title=by)
    return drawn
