#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The rules by which traces/published/score.py scores predictions, on rows made by hand."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "traces/published/score.py"
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True

import score  # noqa: E402

# Fold a has three rows that count, b one, c one of a stack and a generation of its own.
DATA = """# A comment.
id,fold,stack,gpu,tokens_per_s_per_gpu,counts
a1,a,eager,hopper,100,1
a2,a,eager,hopper,100,1
a3,a,eager,hopper,100,1
a4,a,eager,hopper,100,0
b1,b,eager,hopper,200,1
c1,c,jax,volta,10,1
"""


class Rules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data = self.file("data.csv", DATA)

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def result(self, predictions):
        data = score.read(self.data, ["id"])
        return score.scored(data, score.read_predictions(self.file("p.csv", predictions), data))

    def test_every_fold_weighs_the_same(self):
        # Errors of a: 10, 20 and 30 %, mean 20; of b 40; of c 0. a4 does not count.
        result = self.result("id,predicted\na1,110\na2,80\na3,130\na4,900\nb1,280\nc1,10\n")
        self.assertAlmostEqual(result["by_fold"]["a"]["mean"], 0.2)
        self.assertAlmostEqual(result["by_fold"]["a"]["bias"], (0.1 - 0.2 + 0.3) / 3)
        self.assertAlmostEqual(result["by_fold"]["a"]["worst"], 0.3)
        self.assertAlmostEqual(result["all"]["mean_of_fold_means"], (0.2 + 0.4 + 0) / 3)
        # Below 30 % are a1, a2 and c1 of five rows: 30 % itself is not.
        self.assertAlmostEqual(result["all"]["near"], 3 / 5)
        self.assertEqual(result["missing"], [])

    def test_a_fold_without_others_of_its_stack_or_generation_is_apart(self):
        result = self.result("id,predicted\na1,110\na2,80\na3,130\nb1,280\nc1,10\n")
        self.assertEqual({name: fold["apart"] for name, fold in result["by_fold"].items()},
                         {"a": False, "b": False, "c": True})
        self.assertAlmostEqual(result["not_apart"]["mean_of_fold_means"], (0.2 + 0.4) / 2)

    def test_coverage_is_by_fold_of_rows_with_a_range(self):
        # a: one of two inside, a3 has none; b: inside, at its end. Half widths: 10, 25 and 5 %.
        result = self.result("id,predicted,low,high\na1,110,99,121\na2,80,60,99.9\na3,130,,\nb1,190,180.5,200\n")
        self.assertAlmostEqual(result["by_fold"]["a"]["coverage"], 1 / 2)
        self.assertAlmostEqual(result["all"]["coverage"], (1 / 2 + 1) / 2)
        self.assertAlmostEqual(result["all"]["narrow"], 2 / 3)
        self.assertEqual(result["missing"], ["c1"])
        self.assertNotIn("c", result["by_fold"])

    def test_simulators_are_compared_on_the_rows_that_all_predict(self):
        # One predicts a1 and b1, the other a1 and c1: a1 alone is scored, 10 % and 20 % off.
        files = [self.file("one.csv", "id,predicted\na1,110\nb1,280\na2,\n"),
                 self.file("other.csv", "id,predicted\na1,80\na2,100\nc1,10\n")]
        run = subprocess.run(["/usr/bin/python3", str(SCRIPT), *files, "--data", self.data, "--format", "json"],
                             capture_output=True, text=True, check=True)
        results = json.loads(run.stdout)
        self.assertEqual(list(results), files)
        for path, mean in zip(files, (0.1, 0.2)):
            self.assertEqual(list(results[path]["by_fold"]), ["a"])
            self.assertEqual(results[path]["by_fold"]["a"]["rows"], 1)
            self.assertAlmostEqual(results[path]["all"]["mean_of_fold_means"], mean)
        table = subprocess.run(["/usr/bin/python3", str(SCRIPT), *files, "--data", self.data],
                               capture_output=True, text=True, check=True).stdout
        self.assertEqual([sum(line.endswith(path) for line in table.splitlines()) for path in files], [3, 3])

    def refusal(self, predictions):
        run = subprocess.run(["/usr/bin/python3", str(SCRIPT), self.file("p.csv", predictions), "--data", self.data],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1)
        return run.stderr.replace(str(self.folder), "")

    def test_what_is_wrong_is_said_where_it_stands(self):
        self.assertEqual(self.refusal("id,predicted\n# no row\nd1,1\n"), "/p.csv:3:1: id: 'd1' is no row of the data\n")
        self.assertIn("/p.csv:3:1: id: 'a1' is predicted twice", self.refusal("id,predicted\na1,1\na1,2\n"))
        self.assertIn("/p.csv:2:1: predicted: '-1' is not a number above 0", self.refusal("id,predicted\na1,-1\n"))
        self.assertIn("/p.csv:2:1: low: 3 is above high, 2", self.refusal("id,predicted,low,high\na1,2,3,2\n"))
        self.assertIn("lacks the column predicted", self.refusal("id,value\na1,1\n"))

    def test_the_data_itself_scores_without_error(self):
        data = score.read(str(SCRIPT.with_name("training.csv")), ["id", "tokens_per_s_per_gpu"])
        result = score.scored(data, [{"id": row["id"], "predicted": float(row["tokens_per_s_per_gpu"]),
                                      "low": None, "high": None} for row in data])
        self.assertEqual(result["all"]["mean_of_fold_means"], 0)
        self.assertEqual(result["all"]["rows"], sum(row["counts"] == "1" for row in data))


if __name__ == "__main__":
    unittest.main()
