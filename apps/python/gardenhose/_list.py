# SPDX-License-Identifier: Apache-2.0
"""list(): what ships."""

from __future__ import annotations

from typing import Any, Optional, Union, overload

from ._call import ended
from ._results import AnyRecord, Records, parsed, records


class Listed(AnyRecord):
    """A row of a section; further keys are the section's columns."""

    section: str
    name: str


@overload
def list(section: Optional[str] = None) -> Records[Listed]: ...
@overload
def list(section: str, name: str) -> str: ...
def list(section: Optional[str] = None,
         name: Optional[str] = None) -> Union[str, Records[Listed]]:
    """What ships: rows of a section, such as "models", or of all.

    list("scheme", "sdp4bit") is the text of that file, as list("topology", ...), list("model", ...)
    and list("reliability", ...) are.
    """
    if name is not None:
        return ended(["list", f"--section={section}", f"--section={name}"]).stdout
    wanted = [] if section is None else [f"--section={section}"]
    found: Any = parsed(ended(["list", *wanted, "--format=json"]).stdout)
    return records(Listed, ({"section": title, **row} for title, listing in found.items()
                            for row in listing["rows"]))
