# SPDX-License-Identifier: Apache-2.0
"""The commands that README and docs show, as commands that print JSON."""

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from pages import all_pages, blocks_of, name_of  # noqa: E402
from run_examples import commands_of, study_of  # noqa: E402

WITH_JSON = {"run", "plan", "compare", "solve", "map", "collective", "sources", "validate"}
OWN_OUTPUT = {"--perfetto", "--format", "--output"}  # flags that are left out, with their values
SHELL = set("|;<>&$()`")


def words_of(lines: list[str]) -> list[str]:
    """The words of the command up to its first pipe or redirection."""
    lexer = shlex.shlex("\n".join(lines)[2:].replace("\\\n", " "), posix=True,
                        punctuation_chars="|;<>&")
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if word and set(word) <= SHELL:
            break
        words.append(word)
    # The 2 of 2>/dev/null is a word of its own.
    return words[:-1] if words and words[-1] == "2" else words


def json_command(words: list[str]) -> list[str] | None:
    """The command's arguments, printing JSON; None if it has none or takes files of others."""
    if len(words) < 2 or words[0] != "gardenhose" or words[1] not in WITH_JSON:
        return None
    if "--help" in words or any(word.endswith(".sqlite") for word in words):
        return None
    arguments, skip = [], False
    for word in words[1:]:
        if not skip and word not in OWN_OUTPUT:
            arguments.append(word)
        skip = word in OWN_OUTPUT
    return arguments + ["--format", "json"]


def files_of(study: Path | None) -> dict[str, str]:
    if study is None:
        return {}
    return {path.relative_to(study).as_posix(): path.read_text(encoding="utf-8")
            for path in study.rglob("*") if path.is_file() and path.suffix != ".md"}


def cases_of(page: Path) -> list[tuple[str, list[str], dict[str, str]]]:
    """(name, arguments, files) of each command, with the files that the page shows before it."""
    lines = page.read_text(encoding="utf-8").splitlines()
    files = files_of(study_of(page))
    cases = []
    for block in blocks_of(lines):
        if block.title:
            files = {**files, block.title: "\n".join(block.body) + "\n"}
        if block.language != "console" or block.mark.startswith("slow"):
            continue
        for number, command in commands_of(block.body):
            arguments = json_command(words_of(command))
            if arguments:
                cases.append((f"{name_of(page)}:{block.start + number + 2}", arguments, files))
    return cases


def page_cases() -> list[tuple[str, list[str], dict[str, str]]]:
    return [case for page in all_pages() for case in cases_of(page)]
