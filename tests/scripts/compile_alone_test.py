#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which sources tests/compile_alone.py compiles on their own, and that it sees a missing #include."""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True

import compile_alone  # noqa: E402

DAY_S = 24 * 3600


class Tree(unittest.TestCase):
    """A repository of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q")

    def git(self, *arguments, at_s=0):
        # Neither hooks nor settings of whoever runs the test.
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
                       "GIT_AUTHOR_DATE": f"@{at_s} +0000", "GIT_COMMITTER_DATE": f"@{at_s} +0000"}
        subprocess.run(["git", "-C", self.root, "-c", "user.name=t", "-c", "user.email=t@t",
                        *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)

    def write(self, name, text=""):
        (self.root / name).write_text(text)

    def commit(self, at_s, **files):
        for name, text in files.items():
            self.write(name.replace("_cpp", ".cpp").replace("_hpp", ".hpp"), text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change", at_s=at_s)

    def command(self, source):
        return {"file": str(self.root / source), "directory": str(self.root),
                "command": f"c++ -I. -Werror -o {source}.o -c {source}"}


class Changes(Tree):
    def test_are_those_of_the_day_before_the_last_commit_the_newest_first(self):
        self.commit(10 * DAY_S, old_cpp="1", both_cpp="1")
        self.commit(20 * DAY_S, both_cpp="2")
        self.commit(20 * DAY_S + 5, new_cpp="1")
        self.write("untracked.cpp")
        changed = compile_alone.changed_since(self.root, compile_alone.base_of(self.root))
        self.assertEqual(changed, ["untracked.cpp", "new.cpp", "both.cpp"])

    def test_are_all_files_where_no_commit_is_a_day_old(self):
        self.commit(10 * DAY_S, a_cpp="1")
        self.commit(10 * DAY_S + 5, b_cpp="1")
        self.assertIsNone(compile_alone.base_of(self.root))
        self.assertEqual(compile_alone.changed_since(self.root, None), ["b.cpp", "a.cpp"])

    def test_hold_no_file_that_was_removed(self):
        self.commit(10 * DAY_S, a_cpp="1", b_cpp="1")
        self.git("rm", "-q", "a.cpp")
        self.git("commit", "-q", "-m", "removal", at_s=10 * DAY_S)
        self.assertEqual(compile_alone.changed_since(self.root, None), ["b.cpp"])


class Sources(Tree):
    def test_of_a_header_are_its_own_and_four_others_of_all_that_include_it(self):
        names = [f"{letter}.cpp" for letter in "abcdefghij"]
        for name in names:
            self.write(name, '#include "e.hpp"\n')
        self.write("k.cpp", "// #include nothing\n")
        includers = compile_alone.includers_of(self.root, [*reversed(names), "k.cpp"])
        self.assertEqual(includers, {"e.hpp": names})
        chosen = compile_alone.some_of("e.hpp", includers["e.hpp"])
        self.assertEqual(chosen, ["e.cpp", "a.cpp", "c.cpp", "f.cpp", "h.cpp"])
        self.assertEqual(compile_alone.some_of("e.hpp", names[:5]), names[:5])

    def test_come_in_the_order_of_the_changes_and_once(self):
        sources = compile_alone.sources_for(["b.cpp", "x.hpp", "README.md", "a.cpp"],
                                            {"x.hpp": ["a.cpp", "c.cpp"]},
                                            {"a.cpp": (), "b.cpp": (), "c.cpp": ()})
        self.assertEqual(sources, ["b.cpp", "a.cpp", "c.cpp"])


class Compilation(Tree):
    def check(self, source):
        commands = compile_alone.commands_of(self.root, [self.command(source)])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            fine = compile_alone.compiles(source, commands[source])
        return fine, printed.getvalue()

    def test_fails_where_an_include_is_missing(self):
        self.write("a.hpp", "inline int one() { return 1; }\n")
        self.write("good.cpp", '#include "a.hpp"\nint two() { return 2 * one(); }\n')
        self.write("bad.cpp", "int two() { return 2 * one(); }\n")
        self.assertEqual(self.check("good.cpp"), (True, ""))
        fine, printed = self.check("bad.cpp")
        self.assertFalse(fine)
        self.assertIn("bad.cpp:1:", printed)
        self.assertEqual(list(self.root.glob("*.o")), [])

    def test_takes_the_first_command_of_a_file_and_none_of_made_files(self):
        made = {**self.command("a.cpp"), "file": "/elsewhere/a.cpp"}
        first, second = self.command("a.cpp"), {**self.command("a.cpp"), "command": "c++ -o x -c y"}
        self.assertEqual(compile_alone.commands_of(self.root, [made, first, second]),
                         {"a.cpp": (str(self.root), ["c++", "-I.", "-Werror", "a.cpp", "-fsyntax-only"])})


if __name__ == "__main__":
    unittest.main()
