# SPDX-License-Identifier: Apache-2.0
"""Results as a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from ._html import flat

if TYPE_CHECKING:
    import pandas


def frame(reports: Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]) -> pandas.DataFrame:
    """A pandas DataFrame of results: a row for each, such as a report, and a column for each key.

    Keys of nested dicts are joined by dots: memory_by_part_bytes.weights. Columns keep the units of
    their keys. Points of a sweep have columns for their inputs and their reports' keys. Results of
    several calls go into one frame as one list.

    Raises ImportError if pandas is not installed.
    """
    import pandas  # takes a second, and other functions need none

    rows = [reports] if isinstance(reports, Mapping) else reports
    return pandas.json_normalize([dict(flat(row)) for row in rows])
