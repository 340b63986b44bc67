#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The cases of tests/gpu/training_steps.py, their frozen predictions and how these are scored; with
PyTorch 2.6 or newer, also a tiny case on the CPU."""
import contextlib
import csv
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests/gpu/training_steps.py"
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True

import training_predictions  # noqa: E402
from training_cases import CASES  # noqa: E402

FROZEN = ROOT / "traces/predictions/steps_h100_2026-11-26.csv"
# Predicted 10 % too slow and in its range; a host-bound step half as long as measured, out of it.
MEASURED = """name,step_s,issue_s,peak_memory_bytes,error
a,0.1,0.01,1e9,
b,0.02,0.019,2e9,
c,,,,out of memory
"""
PREDICTED = """# A comment.
name,step_s,step_low_s,step_high_s,memory_bytes,plain_arithmetic_s
a,0.11,0.09,0.12,1.2e9,0.05
b,0.01,0.009,0.011,2e9,0.01
c,1,1,1,1,1
"""


class Cases(unittest.TestCase):
    def test_names_differ(self):
        self.assertEqual(len({case.name for case in CASES}), len(CASES))

    def test_shapes_have_whole_heads(self):
        for case in CASES:
            shape = case.shape()
            self.assertEqual(shape["heads"] % shape["kv_heads"], 0, case.name)

    def test_every_case_is_frozen(self):
        frozen = training_predictions.read(FROZEN)
        self.assertEqual([(row["name"], row["flags"]) for row in frozen.values()],
                         [(case.name, f"{training_predictions.CLUSTER} {case.flags}")
                          for case in CASES])


class Errors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def paths(self):
        paths = [self.folder / name for name in ("measured.csv", "predicted.csv")]
        for path, text in zip(paths, (MEASURED, PREDICTED)):
            path.write_text(text)
        return paths

    def test_of_each_measured_case(self):
        measured, predicted = map(training_predictions.read, self.paths())
        a, b = training_predictions.errors_of(measured, predicted)
        self.assertAlmostEqual(a["error"], 0.1)
        self.assertAlmostEqual(a["memory_error"], 0.2)
        self.assertEqual((a["inside"], a["host_bound"]), (True, False))
        self.assertAlmostEqual(b["error"], -0.5)
        self.assertEqual((b["inside"], b["host_bound"]), (False, True))

    def test_table(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            training_predictions.compare(*self.paths())
        self.assertRegex(printed.getvalue(), r"all +2 +30\.0% +-20\.0% +50% +50\.0% +-50\.0%")
        self.assertIn("not measured: c: out of memory", printed.getvalue())

    def dry_run(self, **environment):
        return subprocess.run([sys.executable, SCRIPT, "--dry-run", "--budget", "8", "--output",
                               self.folder], check=False, capture_output=True, text=True,
                              env={**os.environ, **environment})

    def test_an_older_pytorch_is_refused(self):
        (self.folder / "torch.py").write_text('__version__ = "2.5.1+cu124"\n')
        done = self.dry_run(PYTHONPATH=str(self.folder))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "training_steps.py: needs PyTorch 2.6 or newer (fully_shard);"
                                      " this is 2.5.1+cu124\n")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch here")
    def test_dry_run_on_a_cpu(self):
        done = self.dry_run()
        if "needs PyTorch" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "steps.csv", newline="") as file:
            row = next(csv.DictReader(file))
        self.assertEqual(row["error"], "")
        self.assertGreater(float(row["step_s"]), 0)


if __name__ == "__main__":
    unittest.main()
