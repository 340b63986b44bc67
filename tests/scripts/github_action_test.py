#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The action of apps/github_action: its steps are well formed, and its check writes the job's page and one
comment of a pull request, by a `gh` that keeps what it is asked for. Usage: BUILD_FOLDER"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ACTION = Path(__file__).resolve().parents[2] / "apps/github_action"
BUILD = Path(sys.argv.pop()).resolve()
SPEC = """[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
nodes = 1
[grid]
scheme = ["sharded"]
"""
# Answers as GitHub does of comments/comment.md, and keeps that file.
GH = """#!/usr/bin/python3
import pathlib, sys
here = pathlib.Path(__file__).parent
with open(here / "asked", "a") as asked:
    asked.write(" ".join(sys.argv[1:5]) + "\\n")
kept = here / "comment.md"
if "--paginate" in sys.argv:
    print("17" if kept.exists() else "", end="")
else:
    body = sys.argv[sys.argv.index("--field") + 1]
    kept.write_text(pathlib.Path(body.removeprefix("body=@")).read_text())
"""


class Action(unittest.TestCase):
    def setUp(self):
        sandbox = tempfile.TemporaryDirectory()
        self.addCleanup(sandbox.cleanup)
        self.folder = Path(sandbox.name)
        (self.folder / "study.toml").write_text(SPEC)
        (self.folder / "gh").write_text(GH)
        (self.folder / "gh").chmod(0o755)

    def check(self, flags="", number="5"):
        (self.folder / "page.md").write_text("")
        given = {"WHAT": "study.toml", "FLAGS": flags, "NUMBER": number,
                 "GITHUB_REPOSITORY": "someone/study",
                 "GITHUB_STEP_SUMMARY": str(self.folder / "page.md"),
                 "PATH": f"{self.folder}:{BUILD}:{os.environ['PATH']}"}
        done = subprocess.run([ACTION / "check.sh"], cwd=self.folder, env={**os.environ, **given},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, (self.folder / "page.md").read_text()

    def comment(self):
        return (self.folder / "comment.md").read_text()

    def asked(self):
        return (self.folder / "asked").read_text().splitlines()

    def test_passes_and_comments(self):
        code, page = self.check("--require=step_time_s>0\n")
        self.assertEqual(code, 0, page)
        self.assertIn("study.toml", page)
        self.assertEqual(self.comment(), "<!-- gardenhose check study.toml -->\n" + page)
        self.assertTrue(self.asked()[-1].startswith(
            "api --method POST repos/someone/study/issues/5/comments"), self.asked())

    def test_fails_and_changes_its_comment(self):
        self.check("--require=step_time_s>0")
        code, page = self.check("--require=step_time_s<=1 us\n--strict")
        self.assertEqual(code, 1)
        self.assertIn("unmet", page)
        self.assertIn("unmet", self.comment())
        self.assertTrue(self.asked()[-1].startswith(
            "api --method PATCH repos/someone/study/issues/comments/17"), self.asked())

    def test_says_why_there_was_no_check(self):
        code, page = self.check("--require=no_such_metric>1")
        self.assertEqual(code, 2)
        self.assertIn("no_such_metric", page)
        self.assertIn("exit code 2", self.comment())

    def test_without_a_pull_request_only_fills_the_page(self):
        code, page = self.check("--require=step_time_s>0", number="")
        self.assertEqual((code, (self.folder / "asked").exists()), (0, False))
        self.assertIn("study.toml", page)

    def test_steps_have_what_they_need(self):
        action = yaml.safe_load((ACTION / "action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        text = json.dumps(action["runs"])
        for name in action["inputs"]:
            self.assertIn(f"inputs.{name}", text)
        for step in action["runs"]["steps"]:
            self.assertTrue("uses" in step or step["shell"] == "bash", step)
            if "run" in step:
                subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)
        for script in ("check.sh", "make_wheel.sh"):
            self.assertIn(script, text)
            self.assertTrue(os.access(ACTION / script, os.X_OK), script)


if __name__ == "__main__":
    unittest.main()
