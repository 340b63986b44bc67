#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Names the relative links of README, CONTRIBUTING and docs that lead to no file or to no heading
when the pages are read on GitHub. Exit code 1 if there are any. It fetches no external link."""

import re
import sys
from pathlib import Path

from pages import ROOT, all_pages, blocks_of, name_of

LINK = re.compile(r'\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|(?:src|href)="([^"]+)"'
                  r"|^\[[^\]]+\]:\s+(\S+)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
ANCHOR = re.compile(r'(?:id|name)="([^"]+)"|\{[^}]*#([\w-]+)[^}]*\}')


def prose_of(page: Path) -> list[str]:
    """The page's lines; those of fenced blocks are empty."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for block in blocks_of(lines):
        lines[block.start:block.end + 1] = [""] * len(lines[block.start:block.end + 1])
    return lines


def slug_of(heading: str) -> str:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"\s*\{[^}]*\}$", "", text)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors_of(page: Path) -> set[str]:
    anchors: set[str] = set()
    for line in prose_of(page):
        anchors.update(found[1] or found[2] for found in ANCHOR.finditer(line))
        if heading := HEADING.match(line):
            slug = slug_of(heading[1])
            again = sum(re.fullmatch(rf"{re.escape(slug)}(-\d+)?", known) is not None
                        for known in anchors)
            anchors.add(f"{slug}-{again}" if again else slug)
    return anchors


def problem_of(page: Path, link: str) -> str:
    """What is wrong with the link; empty where nothing is."""
    target, _, anchor = link.partition("#")
    file = (page.parent / target).resolve() if target else page
    if not file.is_relative_to(ROOT) or not file.exists():
        return f"{link}: there is no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file):
        return f"{link}: there is no such heading in {name_of(file)}"
    return ""


def check_page(page: Path) -> list[str]:
    problems = []
    for number, line in enumerate(prose_of(page), 1):
        for found in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            link = next(filter(None, found.groups()))
            if not ELSEWHERE.match(link) and (problem := problem_of(page, link)):
                problems.append(f"{name_of(page)}:{number}: {problem}")
    return problems


def main() -> int:
    problems = [problem for page in all_pages() for problem in check_page(page)]
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
