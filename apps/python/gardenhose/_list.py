# SPDX-License-Identifier: Apache-2.0
"""list(): what ships."""

from __future__ import annotations

from typing import Any, Optional, Union

from ._call import ended
from ._results import AnyRecord, Records, parsed, records


class Listed(AnyRecord):
    """A row of a section; further keys are the section's columns."""

    section: str
    name: str


def listed(section: Optional[str], name: Optional[str]) -> Union[str, Records[Listed]]:
    """The result of list()."""
    if name is not None:
        return ended(["list", f"--section={section}", f"--section={name}"]).stdout
    wanted = [] if section is None else [f"--section={section}"]
    found: Any = parsed(ended(["list", *wanted, "--format=json"]).stdout)
    return records(Listed, ({"section": title, **row} for title, listing in found.items()
                            for row in listing["rows"]))
