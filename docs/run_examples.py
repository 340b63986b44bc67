#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README, CONTRIBUTING and docs show, and updates the outputs below them.

    docs/run_examples.py                   rewrite all outputs except those of slow blocks
    docs/run_examples.py --slow PAGE...    these pages only, slow blocks included
    docs/run_examples.py --check           compare, print each difference; exit code 1 if any

The format, for writers:

- A ```console block holds commands and their outputs. A command starts with "$ " and continues on
  the next line after a trailing backslash. The lines up to the next "$ " are its output, stdout
  and stderr: never edit them. To show less, write a pipe: | head -5, | grep step,
  | sed -n '/^sent/,$p'.
- The commands of a page run in order in one scratch folder, each in a bash of its own: `cd` and
  variables do not last. PATH has `gardenhose` and Debian's python3, which can import `gardenhose`.
  The terminal has 100 columns and no colour. Links to plots, topologies and traces are there, as
  in a checkout; never write into them.
- ```toml title="mine.toml" (any language) writes that file before the next command runs.
- docs/examples/NAME/README.md and docs/examples/NAME.md run in a copy of docs/examples/NAME. A
  block titled with the name of a file in that folder shows that file.
- A command must exit with 0. To show a failure: $ gardenhose check ...; echo "exit code $?"
- A command that takes over 10 s of one core belongs in a block below <!-- slow -->. Only --slow
  runs the block, and writes date and version into the comment and below the block. A block that
  needs the files of a slow block is slow too.
- Any other block with commands (bash, sh, Python without a title) needs <!-- not run: reason --> on
  the line above.
- Outputs are compared as they are: show no paths, elapsed seconds or versions.
"""

import argparse
import concurrent.futures
import dataclasses
import datetime
import difflib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import ROOT, Block, all_pages, blocks_of, name_of

SLOW_S = 10
CODE = {"bash", "sh", "shell", "zsh", "shell-session", "python", "py", "pycon"}
LINKS = ("plots", "topologies", "traces")
MADE = re.compile(r"slow: (\d{4}-\d\d-\d\d), (gardenhose \S+), ([0-9a-f]{8})$")


@dataclasses.dataclass
class Job:
    """What this call of the script is to do."""

    build: Path
    check: bool
    slow: bool
    version: str


def commands_of(body: list[str]) -> list[tuple[int, list[str]]]:
    """(line in the block, lines of the command) for each command."""
    found: list[tuple[int, list[str]]] = []
    for number, line in enumerate(body):
        if found and found[-1][1][-1].endswith("\\") and found[-1][0] + len(found[-1][1]) == number:
            found[-1][1].append(line)
        elif line.startswith("$ "):
            found.append((number, [line]))
    return found


def run_command(text: str, folder: Path, build: Path) -> tuple[int, list[str], float]:
    """(exit code, lines printed, seconds of one core)"""
    environment = {
        "PATH": f"{build}:/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(build / "python"), "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "100", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    with subprocess.Popen(["bash", "-c", text], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        assert process.stdout
        printed = process.stdout.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, printed.rstrip().splitlines(), usage.ru_utime + usage.ru_stime


class PageRun:
    """One page: its lines as they should be, its problems, and the cost of its commands."""

    def __init__(self, page: Path, job: Job):
        self.page, self.name, self.job = page, name_of(page), job
        self.lines = page.read_text(encoding="utf-8").splitlines()
        self.problems: list[str] = []
        self.commands, self.seconds = 0, 0.0

    def refuse(self, line: int, text: str) -> None:
        self.problems.append(f"{self.name}:{line + 1}: {text}")

    def run(self) -> "PageRun":
        blocks = blocks_of(self.lines)
        with tempfile.TemporaryDirectory(prefix="gardenhose-docs-") as scratch:
            folder = Path(scratch)
            study = study_of(self.page)
            if study:
                shutil.copytree(study, folder, dirs_exist_ok=True)
            for name in LINKS:
                (folder / name).symlink_to(ROOT / name)
            bodies = [self.body_of(block, study, folder) for block in blocks]
        # From the end, so that the lines of earlier blocks stay where they are.
        for block, body in reversed(list(zip(blocks, bodies))):
            self.replace(block, body)
        return self

    def body_of(self, block: Block, study: Path | None, folder: Path) -> list[str]:
        """What the block should show, once its file is written or its commands have run."""
        if block.language == "console":
            if is_slow(block) and not self.job.slow:
                self.check_slow(block)
                return block.body
            return self.run_block(block, folder)
        self.refuse_unrun(block)
        return self.write_file(block, study, folder) if block.title else block.body

    def run_block(self, block: Block, folder: Path) -> list[str]:
        commands = commands_of(block.body)
        if not commands or commands[0][0] != 0:
            self.refuse(block.start + 1, "a console block starts with '$ COMMAND'")
            return block.body
        body: list[str] = []
        for number, command in commands:
            line = block.start + 1 + number
            code, printed, seconds = run_command("\n".join(command)[2:], folder, self.job.build)
            body += command + printed
            self.seconds += seconds
            self.commands += 1
            if code != 0:
                self.refuse(line, f"exit code {code}; where that is meant, write ; "
                            "echo \"exit code $?\" behind it\n" + "\n".join(printed[-20:]))
            if seconds > SLOW_S and not self.job.check and not is_slow(block):
                self.refuse(line, f"takes {seconds:.0f} s; mark its block <!-- slow -->")
        return body

    def write_file(self, block: Block, study: Path | None, folder: Path) -> list[str]:
        path = Path(block.title)
        if path.is_absolute() or ".." in path.parts or path.parts[0] in LINKS:
            self.refuse(block.start, f'title="{path}" is no file of the scratch folder')
            return block.body
        body = block.body
        if study and (study / path).is_file():
            body = (study / path).read_text(encoding="utf-8").rstrip().splitlines()
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("\n".join(body) + "\n", encoding="utf-8")
        return body

    def refuse_unrun(self, block: Block) -> None:
        shows = block.language in CODE and not block.title
        hides = block.language in {"", "text"} and any(line.startswith("$ ") for line in block.body)
        if (shows or hides) and not re.match(r"not run: \S", block.mark):
            self.refuse(block.start, "commands that no test runs; write them as ```console, or "
                        "above them <!-- not run: why -->")

    def check_slow(self, block: Block) -> None:
        """Of a slow block that is not run now: that it was, as it stands, and says when."""
        made = MADE.match(block.mark)
        if not made:
            problem = "has no date and version"
        elif made[3] != digest(block.body):
            problem = "was edited after it was run"
        elif note_of(block, made[1], made[2]) not in self.lines[block.end + 1:block.end + 3]:
            problem = "does not say below when it was run"
        else:
            return
        self.refuse(block.start, f"{problem}; run docs/run_examples.py --slow {self.name}")

    def replace(self, block: Block, body: list[str]) -> None:
        """Puts `body` into the page; under --check says what differs."""
        if self.job.check:
            where = f"{self.name}:{block.start + 2}"
            self.problems += ["\n".join(diff)] if (diff := list(difflib.unified_diff(
                block.body, body, f"{where} as shown", f"{where} as printed", lineterm=""))) else []
            return
        if is_slow(block) and self.job.slow:
            self.note_slow(block, body)
        self.lines[block.start + 1:block.end] = [block.indent + line if line else ""
                                                 for line in body]

    def note_slow(self, block: Block, body: list[str]) -> None:
        """Writes date and version above and below a slow block that was run."""
        date = datetime.date.today().isoformat()
        note = note_of(block, date, self.job.version)
        after = self.lines[block.end + 1:block.end + 3]
        old = [place for place, line in enumerate(after) if "<sub>Output of " in line]
        keep = block.end + 1 + (old[-1] + 1 if old else 0)
        self.lines[block.end + 1:keep] = ["", note]
        self.lines[block.start - 1] = (
            f"{block.indent}<!-- slow: {date}, {self.job.version}, {digest(body)} -->")


def is_slow(block: Block) -> bool:
    return block.mark.startswith("slow")


def digest(body: list[str]) -> str:
    return hashlib.sha256("\n".join(body).encode()).hexdigest()[:8]


def note_of(block: Block, date: str, version: str) -> str:
    return (f"{block.indent}<sub>Output of {version} on {date}; the command takes over "
            f"{SLOW_S} s.</sub>")


def study_of(page: Path) -> Path | None:
    """The folder of files that the page's commands run in a copy of."""
    folder = page.parent if page.name == "README.md" else page.with_suffix("")
    examples = ROOT / "docs" / "examples"
    return folder if folder.parent == examples and folder.is_dir() else None


def options() -> argparse.Namespace:
    flags = argparse.ArgumentParser(description="Runs what the pages show; see the script's top.")
    flags.add_argument("pages", nargs="*", type=Path, help="default: all")
    flags.add_argument("--check", action="store_true", help="compare instead of rewriting")
    flags.add_argument("--slow", action="store_true", help="run slow blocks too")
    flags.add_argument("--build", type=Path, default=ROOT / "build" / "release",
                       help="folder of the program (default: build/release)")
    return flags.parse_args()


def main() -> int:
    given = options()
    build = given.build.resolve()
    if not (build / "gardenhose").is_file():
        sys.exit(f"run_examples.py: {given.build} has no gardenhose; build it, or give --build")
    version = subprocess.run([build / "gardenhose", "--version"], capture_output=True, text=True,
                             check=True).stdout.strip()
    job = Job(build, given.check, given.slow, version)
    pages = [page.resolve() for page in given.pages] or all_pages()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda page: PageRun(page, job).run(), pages))
    for run in runs:
        if not job.check:
            run.page.write_text("\n".join(run.lines) + "\n", encoding="utf-8")
        if run.commands:
            print(f"{run.name}: {run.commands} commands, {run.seconds:.1f} s of one core")
    problems = [problem for run in runs for problem in run.problems]
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    print(f"{sum(run.seconds for run in runs):.1f} s of one core; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
