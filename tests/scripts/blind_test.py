#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""validate blind and pairs: frozen predictions score as those that were frozen, and as score.py scores them.

Usage: blind_test.py BUILD FOLDER, where FOLDER holds what
`gardenhose validate blind --by fold,generation --format json --freeze frozen.json >answer.json` wrote
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv.pop(1)).resolve() / "gardenhose"
ANSWERS = Path(sys.argv.pop(1)).resolve()
SCORE = ROOT / "traces/published/score.py"


def run(*arguments):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, check=False)


class Blind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.answer, cls.by_generation = json.loads((ANSWERS / "answer.json").read_text())["answers"]
        cls.frozen = json.loads((ANSWERS / "frozen.json").read_text())

    def compare(self, frozen, output="json"):
        file = Path(self.folder.name) / "changed.json"
        file.write_text(json.dumps(frozen))
        return run(PROGRAM, "validate", "blind", "--compare", file, "--format", output)

    def test_frozen_predictions_come_back_as_they_were(self):
        result = self.compare(self.frozen)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        answer = json.loads(result.stdout)
        self.assertIn(self.frozen["version"], answer.pop("frozen"))
        self.assertEqual(answer, self.answer)

    def test_leaving_out_more_rows_leaves_the_same_runs(self):
        self.assertEqual((self.answer["left_out"], self.by_generation["left_out"]), ("fold", "generation"))
        same = ("id", "fold", "published", "scored")
        self.assertEqual(*([[row[name] for name in same] for row in answer["rows"]]
                           for answer in (self.answer, self.by_generation)))
        self.assertNotEqual(*([row["predicted"] for row in answer["rows"]]
                              for answer in (self.answer, self.by_generation)))

    def test_score_by_the_rules_of_the_data_set(self):
        file = Path(self.folder.name) / "predictions.csv"
        file.write_text(self.compare(self.frozen, "csv").stdout)
        scores = json.loads(run("/usr/bin/python3", SCORE, file, "--format", "json").stdout)
        self.assertEqual(scores["missing"], [])
        for mine, theirs in (("all", "all"), ("not_apart", "not_apart")):
            errors, score = self.answer["errors"][mine], scores[theirs]
            self.assertEqual((errors["rows"], errors["folds"]), (score["rows"], score["folds"]))
            for name, other in (("mean", "mean_of_fold_means"), ("near", "near"), ("coverage", "coverage"),
                                ("narrow", "narrow")):
                self.assertAlmostEqual(errors[name], score[other], 9)
        for fold, errors in self.answer["errors"]["by_fold"].items():
            self.assertEqual(errors["apart"], scores["by_fold"][fold]["apart"])
            self.assertAlmostEqual(errors["bias"], scores["by_fold"][fold]["bias"], 9)

    def test_a_row_is_what_run_predicts_with_its_efficiency(self):
        row = next(row for row in self.frozen["rows"] if row["id"] == "dgxc/nem15b/64")
        result = run(PROGRAM, *row["command"].split(), "--set",
                     f"fitted.compute_efficiency={row['efficiency']}", "--format", "json", "--range", "off")
        report = json.loads(result.stdout)
        self.assertAlmostEqual(report["tokens_per_s"] / report["gpus"] / row["predicted"], 1, 9)

    def test_fewer_rows_are_scored_alone_and_changed_inputs_are_named(self):
        fewer = self.frozen | {"rows": self.frozen["rows"][:9],
                               "inputs": self.frozen["inputs"] | {"topologies/dgx_b200.toml": "0"}}
        result = self.compare(fewer)
        self.assertIn("warning", result.stderr)
        self.assertIn("topologies/dgx_b200.toml has changed since", result.stderr)
        self.assertEqual(json.loads(result.stdout)["errors"]["all"]["rows"], 9)

    def test_what_is_wrong_in_a_file_is_said_where_it_stands(self):
        row = self.frozen["rows"][0]
        for wrong, says in (({"rows": [row | {"id": "none"}]}, "/rows/0/id: 'none' is no row of the data set"),
                            ({"rows": [row, row]}, "/rows/1/id: "),
                            ({"rows": [row | {"low": row["high"]}]}, "outside its range"),
                            ({"kind": "other"}, "/kind: is not a file that validate blind --freeze wrote")):
            result = self.compare(self.frozen | wrong)
            self.assertEqual(result.returncode, 2)
            self.assertIn(says, result.stderr)

    def test_pairs_have_the_right_sign_in_most_cases(self):
        errors = json.loads(run(PROGRAM, "validate", "pairs", "--format", "json").stdout)["errors"]["all"]
        self.assertGreaterEqual(errors["pairs"], 30)
        self.assertGreaterEqual(errors["right"], 0.85 * errors["signs"])
        self.assertLessEqual(errors["mean"], 0.15)

    def test_flags_of_other_studies_are_refused(self):
        for flags in (["fsdp", "--by", "fold"], ["blind", "--predictions"], ["nccl", "--freeze", "x.json"],
                      ["blind", "--by", "stack"], ["blind", "--by", "fold,fold"], ["blind", "--refit"],
                      ["blind", "--defaults", "--each"], ["nccl", "--defaults"],
                      ["blind", "--freeze", "x.json", "--compare", "y.json"]):
            self.assertEqual(run(PROGRAM, "validate", *flags).returncode, 2, flags)


if __name__ == "__main__":
    unittest.main()
