#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""validate testbed, beside a copy of the program: measurements that are made up from the predictions of a small grid.

Usage: testbed_study_test.py BUILD
"""
import csv
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/testbed"))
import cells  # noqa: E402
import grid  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
NAME = "testbed_2026-11-30.csv"
SLOWER = 1.25  # measured over predicted


class TestbedStudy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.predicted = [cell.predicted(BUILD) for cell in cells.of_grid(BUILD, "small")]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name, "bin/gardenhose")
        self.program.parent.mkdir()
        shutil.copy(BUILD / "gardenhose", self.program)
        data = Path(folder.name, "share/gardenhose")
        self.traces = data / "traces"
        for name in ("predictions", "measured"):
            (self.traces / name).mkdir(parents=True)
        (data / "topologies").symlink_to(ROOT / "topologies")
        for entry in [*(ROOT / "traces").iterdir(), ROOT / "traces/measured/testbed"]:
            link = data / entry.relative_to(ROOT)
            if not link.exists():
                link.symlink_to(entry)

    def write(self, predicted, measured):
        for folder, columns, rows in (("predictions", cells.PREDICTED, predicted),
                                      ("measured", grid.MEASURED, measured)):
            with open(self.traces / folder / NAME, "w") as file:
                print("# made up", file=file)
                table = csv.DictWriter(file, columns, restval="", lineterminator="\n")
                table.writeheader()
                table.writerows(rows)

    def measured(self):
        """Of all but the last step or round; at no rate does compression stop paying."""
        *steps, missing = [row for row in self.predicted if row["kind"] != "break_even"]
        for row in steps:
            for repetition, noise in enumerate((0.999, 1, 1.001)):
                yield {"cell": row["cell"], "repetition": repetition, "step_s": SLOWER * noise * float(row["step_s"])}
        for row in self.predicted:
            if row["kind"] == "break_even":
                yield from ({"cell": row["cell"], "repetition": end} for end in ("low", "high"))

    def study(self, *flags):
        return subprocess.run([self.program, "validate", "testbed", *flags], capture_output=True, text=True,
                              check=False)

    def refused(self):
        result = self.study()
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1))
        return result.stderr

    def test_times_that_are_slower_in_proportion_are_off_by_it_and_speed_ups_are_right(self):
        self.write(self.predicted, self.measured())
        result = self.study("--format", "json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        answer = json.loads(result.stdout)
        self.assertEqual(set(answer["times"]), {"small, step", "small, sharded_step", "small, round"})
        for column in ("frozen", "now"):  # Files have six digits.
            for scores in answer["times"].values():
                self.assertAlmostEqual(scores[column]["mean"], 1 - 1 / SLOWER, 5)
                self.assertAlmostEqual(scores[column]["worst"], 1 - 1 / SLOWER, 5)
            for scores in [*answer["speedups"].values(), answer["where_codecs_or_overlap_matter"]]:
                self.assertGreater(scores["signs"], 0)
                self.assertEqual(scores[column]["right"], scores["signs"])
                self.assertLess(scores[column]["worst"], 1e-5)
        unmeasured = [row for row in answer["rows"] if row["measured"] is None and row["kind"] != "break_even"]
        self.assertEqual(len(unmeasured), 1)
        rows = self.study("--format", "csv").stdout.splitlines()
        self.assertEqual(len(rows), 1 + len(self.predicted))

    def test_the_table_says_what_is_missing_and_lists_each_cell_where_asked(self):
        self.write(self.predicted, self.measured())
        table, each = self.study().stdout, self.study("--each").stdout
        self.assertIn(f"1 of {len(self.predicted)} cells are not measured\n", table)
        self.assertTrue(each.endswith(table))
        for row in self.predicted[:3]:
            self.assertNotIn(f"  {row['cell']} ", table)
            self.assertIn(f"  {row['cell']} ", each)

    def test_what_is_wrong_is_said_where_it_stands(self):
        self.assertIn(f"predictions/{NAME}: no such file", self.refused())
        row = self.predicted[0]
        wrong = row | {"flags": row["flags"].replace("host_2.toml", "no_such.toml")}
        self.write([wrong], [{"cell": row["cell"], "repetition": 1, "step_s": 1}])
        self.assertRegex(self.refused(), f"predictions/{NAME}:3:1: flags: .*traces/measured/testbed/no_such.toml")


if __name__ == "__main__":
    unittest.main()
