# SPDX-License-Identifier: Apache-2.0
"""README's and the documentation's pages and their fenced blocks, for the scripts of this folder.
A block may be indented by spaces, inside a list or an admonition."""

import dataclasses
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)$")
TITLE = re.compile(r'title="([^"]*)"')
NUMBER = re.compile(r"([+-]?[\d.]+( %|x| GB)?( / [\d.]+( %)?| of \d+)?)?")
COMMENT = re.compile(r"\s*<!--\s*(.*?)\s*-->\s*$")


@dataclasses.dataclass
class Block:
    """A fenced block; lines are counted from 0, `start` and `end` are those of its fences."""

    start: int
    end: int
    indent: str
    language: str
    title: str
    mark: str  # of the comment on the line above; empty without one
    body: list[str]  # without the indentation


def all_pages() -> list[Path]:
    """README, CONTRIBUTING and every Markdown file of docs."""
    top = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return [page for page in top if page.exists()] + sorted((ROOT / "docs").rglob("*.md"))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _end_of(lines: list[str], start: int, fence: str) -> int:
    """Where the block opened at `start` closes; the page's end where nothing closes it."""
    for number in range(start + 1, len(lines)):
        line = lines[number].strip()
        if line.startswith(fence) and not line.strip(fence[0]):
            return number
    return len(lines)


def blocks_of(lines: list[str]) -> list[Block]:
    blocks = []
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if not opening:
            number += 1
            continue
        end = _end_of(lines, number, opening["fence"])
        title = TITLE.search(opening["info"])
        comment = COMMENT.match(lines[number - 1]) if number else None
        indent = opening["indent"]
        blocks.append(Block(
            number, end, indent, (opening["info"].split() or [""])[0], title[1] if title else "",
            comment[1] if comment else "",
            [line.removeprefix(indent) for line in lines[number + 1:end]]))
        number = end + 1
    return blocks


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, inside a table too; `code` stays code."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*<\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts).replace("|", "\\|")


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; columns of numbers are set flush right."""
    numbers = [all(NUMBER.fullmatch(row[place]) for row in rows)
               for place in range(len(columns))]
    lines = [columns, ["---:" if number else "---" for number in numbers], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
