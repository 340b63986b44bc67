#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts that keep the documentation true find what is not: on a tree of one page, with a
program that prints its arguments."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """#!/bin/sh
if [ "$1" = --version ]; then echo gardenhose 1.2.3; else echo "$@"; [ "$1" != fail ]; fi
"""
GOOD = """# Page

```toml title="a.toml"
key = 1
```

```console
$ gardenhose run \\
    --tp 2
run --tp 2
$ cat a.toml
key = 1
$ gardenhose fail; echo "exit code $?"
fail
exit code 1
```

<!-- not run: needs a GPU -->
```sh
gardenhose-calibrate
```
"""


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "build").mkdir()
        program = self.root / "build" / "gardenhose"
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(0o755)
        (self.root / "docs").mkdir()
        for script in (ROOT / "docs").glob("*.py"):
            shutil.copy(script, self.root / "docs")

    def run_script(self, script, *arguments):
        return subprocess.run([self.root / "docs" / script, *arguments], capture_output=True,
                              text=True, check=False)

    def page(self, text, name="docs/page.md"):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def check(self, *arguments):
        return self.run_script("run_examples.py", "--check", "--build", self.root / "build",
                               *arguments)

    def regenerate(self, *arguments):
        return self.run_script("run_examples.py", "--build", self.root / "build", *arguments)

    def refuses(self, text, message, name="docs/page.md"):
        self.page(text, name)
        done = self.check()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(message, done.stderr)


class Examples(Tree):
    def test_hold_where_outputs_are_what_commands_print(self):
        page = self.page(GOOD)
        self.assertEqual(self.check().returncode, 0, self.check().stderr)
        self.assertEqual(self.regenerate().returncode, 0)
        self.assertEqual(page.read_text(encoding="utf-8"), GOOD)

    def test_are_rewritten_where_they_differ(self):
        self.refuses(GOOD.replace("run --tp 2\n$", "run --tp 3\n$"), "+run --tp 2")
        self.assertEqual(self.regenerate().returncode, 0)
        self.assertEqual(self.check().returncode, 0)

    def test_are_located(self):
        self.refuses(GOOD.replace("exit code 1\n", "exit code 2\n"), "docs/page.md:8 as shown")

    def test_commands_must_not_fail_unless_shown_to(self):
        self.refuses("```console\n$ gardenhose fail\nfail\n```\n", "docs/page.md:2: exit code 1")

    def test_no_command_goes_without_a_run(self):
        for block in ("```sh\nls\n```\n", "```bash\nls\n```\n", "```\n$ ls\n```\n",
                      "```python\nprint()\n```\n", "<!-- not run: -->\n```sh\nls\n```\n"):
            self.refuses(block, "commands that no test runs")

    def test_every_page_is_read(self):
        for name in ("README.md", "CONTRIBUTING.md", "docs/a/b.md"):
            self.refuses("```sh\nls\n```\n", f"{name}:1: ", name)
            (self.root / name).unlink()

    def test_files_stay_in_the_scratch_folder(self):
        for name in ("../a", "/a", "plots/a"):
            self.refuses(f'```toml title="{name}"\n```\n', "no file of the scratch folder")

    def test_in_lists_are_indented(self):
        page = self.page("- item\n\n  ```console\n  $ gardenhose run\n  ```\n")
        self.assertEqual(self.regenerate().returncode, 0)
        self.assertIn("  run\n  ```\n", page.read_text(encoding="utf-8"))

    def test_a_study_shows_its_own_files(self):
        self.page("# x\n", "docs/examples/study/a.toml")
        page = self.page('```toml title="a.toml"\ny\n```\n', "docs/examples/study/README.md")
        self.assertEqual(self.check().returncode, 1)
        self.assertEqual(self.regenerate().returncode, 0)
        self.assertIn("\n# x\n", page.read_text(encoding="utf-8"))


class SlowExamples(Tree):
    BLOCK = "<!-- slow -->\n```console\n$ gardenhose run\n```\n\nText.\n"

    def test_say_when_they_were_run(self):
        self.refuses(self.BLOCK, "has no date and version")
        page = self.root / "docs" / "page.md"
        self.assertEqual(self.regenerate().returncode, 1)
        for _ in range(2):
            self.assertEqual(self.regenerate("--slow").returncode, 0)
            self.assertEqual(page.read_text(encoding="utf-8").count("Output of gardenhose 1.2.3 on "), 1)
        self.assertEqual(self.check().returncode, 0)

    def test_stand_as_they_were_run(self):
        page = self.page(self.BLOCK)
        self.regenerate("--slow")
        text = page.read_text(encoding="utf-8")
        self.refuses(text.replace("\nrun\n", "\nwalk\n"), "was edited after it was run")
        self.refuses(text.replace("<sub>", "<p>"), "does not say below")
        self.page(text)
        self.assertEqual(self.check("--slow").returncode, 0)


class Links(Tree):
    def problems(self, text):
        self.page("# A heading: with `code`\n\n## Twice\n\n## Twice\n", "docs/other.md")
        self.page(text)
        return self.run_script("check_links.py").stderr.splitlines()

    def test_that_lead_somewhere(self):
        self.assertEqual(self.problems(
            "# Here\n[a](other.md#a-heading-with-code) [b](#here) [c](other.md#twice-1)\n"
            "[d](https://example.org/x) `[e](gone.md)`\n\n```\n[f](gone.md)\n```\n"), [])

    def test_that_lead_nowhere(self):
        found = self.problems("[a](gone.md)\n[b](other.md#gone)\n<img src=\"gone.svg\">\n"
                              "[c](other.md#twice-2)\n")
        self.assertEqual([line.split(": ")[0] for line in found],
                         [f"docs/page.md:{line}" for line in (1, 2, 3, 4)])


if __name__ == "__main__":
    unittest.main()
