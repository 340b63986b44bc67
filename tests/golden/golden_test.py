#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""golden.py finds what moved, and takes the right commands from the pages."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from bad_inputs import bad_values, edited, misspelt  # noqa: E402
from golden import Case, compare, differences, output_of  # noqa: E402
from page_cases import json_command, words_of  # noqa: E402

PROGRAM = """#!/bin/sh
if [ "$1" = wrong ]; then echo 'wrong: a remedy' >&2; exit 2; fi
echo '{"step_time_s": '"$(cat "$1")"'}'
"""


class Differences(unittest.TestCase):
    def test_numbers_may_be_off_by_the_last_bits_only(self):
        self.assertEqual(differences({"a": [1.0, 2]}, {"a": [1.0 + 1e-13, 2]}), [])
        self.assertEqual(differences({"a": [1.0, 2]}, {"a": [1.0 + 1e-11, 2]}),
                         [".a[0]: 1.0 -> 1.00000000001"])

    def test_everything_else_is_the_same_or_differs(self):
        self.assertEqual(differences({"a": None, "b": True}, {"a": None, "b": True}), [])
        self.assertEqual(differences({"a": True}, {"a": 1}), [".a: true -> 1"])
        self.assertEqual(differences({"a": None}, {}), ['.a: null -> "absent"'])
        self.assertEqual(differences([1], [1, 2]), [": [1] -> [1, 2]"])


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "gardenhose"
        self.program.write_text(PROGRAM, encoding="utf-8")
        self.program.chmod(0o755)

    def test_have_the_files_of_the_case(self):
        case = Case("one", ["in/a", "--format", "json"], {"in/a": "0.5"})
        self.assertEqual(output_of(case, self.program), {"exit": 0, "json": {"step_time_s": 0.5}})

    def test_are_lines_where_no_json_was_asked_for(self):
        self.assertEqual(output_of(Case("one", ["a"], {"a": "0.5"}), self.program),
                         {"exit": 0, "lines": ['{"step_time_s": 0.5}']})

    def test_keep_refusals(self):
        self.assertEqual(output_of(Case("one", ["wrong"]), self.program),
                         {"exit": 2, "message": "wrong: a remedy"})

    def test_that_moved_fail_the_comparison(self):
        record = ('{"case": {"name": "one", "arguments": ["a", "--format", "json"], "files": {"a": "0.5"}}, '
                  '"output": {"exit": 0, "json": {"step_time_s": %s}}}\n')
        for recorded, code in (("0.5", 0), ("0.6", 1)):
            (self.folder / "golden.jsonl").write_text(record % recorded, encoding="utf-8")
            self.assertEqual(compare(self.folder, self.program), code)

    def test_without_a_recording_are_no_comparison(self):
        done = subprocess.run([HERE / "golden.py", "compare", self.folder / "none", "--build",
                               self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^golden.py: .*none/golden.jsonl: .*; record it first\n$")


class BadInputs(unittest.TestCase):
    def test_are_outside_what_the_key_takes(self):
        units = {"size": "B"}
        self.assertEqual(bad_values("whole number from 1 to 8", units)[-2:], ["0", "9"])
        self.assertEqual(bad_values("number above 0 and at most 1", units)[-2:], ["-0.5", "1.5"])
        self.assertIn('"0 B"', bad_values("size above 0", units))
        self.assertNotIn('"0 B"', bad_values("size", units))
        self.assertIn('"tre"', bad_values("one of ring, tree", units))
        self.assertEqual(misspelt("a.nodes"), "a.nodse")

    def test_stand_in_the_table_of_their_key(self):
        text = "name = 1\n[a]\nname = 2\n[b]\nname = 3\n"
        self.assertEqual(edited(text, "b.name", "name = true"),
                         "name = 1\n[a]\nname = 2\n[b]\nname = true\n")
        self.assertEqual(edited(text, "a.size", "size = 4"),
                         "name = 1\n[a]\nsize = 4\nname = 2\n[b]\nname = 3\n")
        self.assertEqual(edited("", "c.name", "name = 5"), "[c]\nname = 5\n")


class Pages(unittest.TestCase):
    def test_commands_end_at_a_pipe_and_print_json(self):
        words = words_of(["$ gardenhose run --set network.nic_bandwidth=\"50 Gbps\" \\",
                          "    --format csv 2>/dev/null | head -3"])
        self.assertEqual(json_command(words), ["run", "--set", "network.nic_bandwidth=50 Gbps",
                                               "--format", "json"])

    def test_commands_without_json_are_left_out(self):
        for line in ("$ gardenhose list keys", "$ head mine.toml", "$ gardenhose run --help",
                     "$ gardenhose map grid.sqlite --x nodes"):
            self.assertIsNone(json_command(words_of([line])))


if __name__ == "__main__":
    unittest.main()
