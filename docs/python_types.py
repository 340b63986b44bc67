# SPDX-License-Identifier: Apache-2.0
"""The types of the Python module, from the program's lists of figures and flags, as
docs/generate_reference.py writes them."""

NOTICE = "# Written by docs/generate_reference.py from the program's tables; do not edit."
TYPES = {"number": "Number", "whole number": "Count", "string": "Text", "true or false": "Truth"}
# What the JSON has besides figures, with keys that are names of phases, parts or constants.
OTHERS = {"schema_version": "int", "exposed_comm_by_phase_s": "Dict[str, float]",
          "wire_bytes_by_phase": "Dict[str, Dict[str, float]]", "events": "List[str]",
          "memory_by_part_bytes": "Dict[str, float]", "bound": "str",
          "codec_error": "Dict[str, Optional[float]]", "sources": "Dict[str, str]"}
HEAD = f'''# SPDX-License-Identifier: Apache-2.0
{NOTICE}
"""What run() takes and returns, for editors and type checkers."""

from typing import Any, Dict, List, Optional, TypedDict, Union

from ._arguments import Value

# None where it was not asked for, or has no end: so a type checker lets each be anything, too.
Number = Union[float, Any]
Count = Union[int, Any]
Text = Union[str, Any]
Truth = Union[bool, Any]
'''


def class_of(name: str, summary: str, members: list[str]) -> str:
    return "\n".join([f"\n\nclass {name}(TypedDict, total=False):", f'    """{summary}"""', "",
                      *(f"    {member}" for member in members), ""])


def member_of(name: str, row: dict) -> str:
    unit = f"  # {row['unit']}" if row["unit"] else ""
    return f"{name}: {TYPES[row['value']]}{unit}"


def python_types(figures: list[dict], flags: list[dict]) -> str:
    """The module _types: a report and its parts, and the flags of `run` as keywords."""
    report: list[str] = []
    parts: dict[str, list[str]] = {}  # by the key of the report
    for row in figures:
        part, _, name = row["figure"].rpartition(".")
        (parts.setdefault(part, []) if part else report).append(member_of(name, row))
    classes = []
    for part, members in parts.items():
        key = part.removesuffix("[]")
        name = key.title().replace("_", "")
        classes.append(class_of(name, f"One of `{key}`." if key != part else f"`{key}`.", members))
        report.append(f"{key}: {f'List[{name}]' if key != part else name}")
    report += [f"{key}: {kind}" for key, kind in OTHERS.items()]
    keywords = [f"{flag['name'].replace('-', '_')}: {'Value' if flag['takes_value'] else 'bool'}"
                for flag in flags if flag["name"] not in ("help", "format", "scheme")]
    return "".join([
        HEAD, *classes,
        class_of("Report", "One scheme's results, the JSON of `gardenhose run`.", report),
        class_of("Flags", "Flags of `gardenhose run` as keywords, without `scheme`.", keywords)])
