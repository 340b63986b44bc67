#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/overlap.py without a GPU: its rules, its frozen predictions, and how it compares."""
import csv
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests/gpu/overlap.py"
PREDICTIONS, MEASURED = ROOT / "traces/predictions", ROOT / "traces/measured"
sys.path.insert(0, str(SCRIPT.parent))
import overlap  # noqa: E402


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True,
                          check=True).stdout


def rows_of(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {(row["kernel"], row["beside"], row["channels"]): row for row in csv.DictReader(lines)}


class Rules(unittest.TestCase):
    def test_channels_take_their_share_of_the_multiprocessors(self):
        self.assertAlmostEqual(overlap.RULES["multiprocessors"](33, 132), 4 / 3)
        self.assertAlmostEqual(overlap.RULES["clusters"](33, 132), overlap.CLUSTERS * 4 / 3)

    def test_frozen_predictions_are_those_of_the_rules(self):
        for name, flags in (("overlap_h100_2026-11-27.csv", []),
                            ("overlap_h200_2026-11-27.csv", ["--second"])):
            frozen = rows_of((PREDICTIONS / name).read_text(encoding="utf-8"))
            now = rows_of(run("--predict", *flags))
            self.assertGreater(len(frozen), 60)
            for key, row in frozen.items():
                self.assertEqual(row, now[key], name)


class Comparison(unittest.TestCase):
    def test_has_every_measured_case(self):
        for gpu, cases in (("h100", 112), ("h200", 112), ("attention_h100", 24)):
            measured = MEASURED / f"overlap_{gpu}.csv"
            printed = run("--compare", PREDICTIONS / f"overlap_{gpu}_2026-11-27.csv", measured)
            self.assertEqual(len(rows_of(measured.read_text(encoding="utf-8"))), cases)
            shown = [line for line in printed.splitlines() if "channels that" in line or "encode" in line]
            self.assertGreaterEqual(len(shown), cases)

    def test_an_error_is_of_the_predicted_ratio(self):
        printed = run("--compare", PREDICTIONS / "overlap_h200_2026-11-27.csv",
                      MEASURED / "overlap_h200.csv")
        line = next(one for one in printed.splitlines() if one.startswith("clusters"))
        frozen = rows_of((PREDICTIONS / "overlap_h200_2026-11-27.csv").read_text(encoding="utf-8"))
        measured = rows_of((MEASURED / "overlap_h200.csv").read_text(encoding="utf-8"))
        errors = [abs(float(row["predicted"]) / float(measured[key]["ratio"]) - 1)
                  for key, row in frozen.items()
                  if row["rule"] == "clusters" and row["beside"].endswith("hold")]
        self.assertIn(f"{sum(errors) / len(errors):.1%}", line)


if __name__ == "__main__":
    unittest.main()
