#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`run`, `compare`, both forms of `map`, the picture of a map and the page of a report give one verdict
for each of fifty points: five schemes over ten networks, wins, ties and losses among them.

Usage: one_verdict_test.py BUILD_FOLDER
"""

import concurrent.futures
import json
import os
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/scripts"))
sys.path.insert(0, str(ROOT / "plots"))
sys.dont_write_bytecode = True

import report_page_test as pages  # noqa: E402
import scheme_map  # noqa: E402

SCHEMES = ("sdp4bit", "qwd", "tlq_hs", "loco", "fp8_gradients")
BANDWIDTHS = ("1 Gbps", "3 Gbps", "10 Gbps", "25 Gbps", "50 Gbps", "100 Gbps", "200 Gbps", "400 Gbps",
              "800 Gbps", "3200 Gbps")
# One sequence for each of four GPUs. With all options given, searches have nothing to choose.
JOB = {"topology": "dgx_h100_x16", "model": "gpt_125m", "nodes": "2", "gpus-per-node": "2", "zero": "1",
       "overlap": "all", "gradient-precision": "bf16", "recompute": "none", "bucket-size": "40MB",
       "attention": "fused"}
FLAGS = [part for name, value in JOB.items() for part in (f"--{name}", value)]
TOKENS = ("--tokens", "8192")


def spec():
    def text_of(value):
        return value if value.isdigit() else json.dumps(value)

    lines = [f"{name} = {text_of(value)}" for name, value in JOB.items()]
    return "\n".join(["[run]", *lines, 'baseline = "sharded"', "[grid]",
                      f"scheme = {json.dumps(['sharded', *SCHEMES])}",
                      f"network.nic_bandwidth = {json.dumps(BANDWIDTHS)}", ""])


class OneVerdict(pages.Pages):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sweep("study", spec())
        cls.by_run = {}
        for bandwidth in BANDWIDTHS:
            reports = cls.json("run", *FLAGS, "--scheme", ",".join(SCHEMES), "--baseline", "sharded",
                               "--set", f"network.nic_bandwidth={bandwidth}")
            for report in reports:
                if report["scheme"] in SCHEMES:
                    cls.by_run[report["scheme"], bandwidth] = report["verdict"]

    @classmethod
    def sweep(cls, name, text):
        if name != "small":  # the one of other tests
            super().sweep(name, text)

    @classmethod
    def json(cls, *arguments):
        return json.loads(cls.run_program(*arguments, "--format", "json").stdout)

    def same_as_run(self, verdicts):
        self.assertEqual(len(verdicts), len(SCHEMES) * len(BANDWIDTHS))
        self.assertEqual(verdicts, self.by_run)

    def test_the_points_hold_every_verdict(self):
        for verdict in ("win", "tie", "loss"):
            self.assertGreaterEqual(list(self.by_run.values()).count(verdict), 3, self.by_run)

    def test_compare(self):
        def verdict(point):
            scheme, bandwidth = point
            found = self.json("compare", "--a", f"--scheme {scheme}", "--b", "--scheme sharded", *FLAGS,
                              "--set", f"network.nic_bandwidth={bandwidth}", "--repetitions", "2",
                              "--jobs", "1")
            return found["verdict"]

        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            self.same_as_run(dict(zip(self.by_run, pool.map(verdict, self.by_run))))

    def test_map_and_its_picture(self):
        told, drawn = {}, {}
        for scheme in SCHEMES:
            text = self.run_program("map", *FLAGS, *TOKENS, "--scheme", scheme, "--bandwidths",
                                    ",".join(BANDWIDTHS).replace(" ", ""), "--format", "csv").stdout
            rows = list(scheme_map.csv.DictReader(text.splitlines()))
            self.assertEqual({row["uncompressed"] for row in rows}, {"sharded"})
            told |= {(scheme, bandwidth): row["verdict"] for bandwidth, row in zip(BANDWIDTHS, rows)}
            # Its columns are in the order of the bandwidths.
            drawn |= {(scheme, bandwidth): verdict for bandwidth, verdict in
                      zip(BANDWIDTHS, self.drawn(scheme, text).values())}
        self.same_as_run(told)
        self.same_as_run(drawn)

    def test_map_of_a_store_and_its_picture(self):
        told, drawn = {}, {}
        for scheme in SCHEMES:
            text = self.run_program("map", "study.sqlite", "--x", "network.nic_bandwidth", "--y",
                                    "nodes", "--where", f"in_scheme in ('sharded', '{scheme}')",
                                    "--format", "csv").stdout
            rows = list(scheme_map.csv.DictReader(text.splitlines()))
            told |= {(scheme, row["x"]): row["verdict"] for row in rows}
            drawn |= self.drawn(scheme, text)
        self.same_as_run(told)
        self.same_as_run(drawn)

    @staticmethod
    def drawn(scheme, text):
        """A win has the scheme's colour and a tie is hatched."""
        cells = scheme_map.read_map(text.splitlines()).cells
        return {(scheme, cell.x): "win" if cell.winner == scheme else "tie" if cell.is_hatched
                else "loss" for cell in cells}

    def test_page(self):
        self.page_of("study", "--timeline", "none")
        points = zip(self.column("scheme"), self.column("network.nic_bandwidth"),
                     self.column("verdict"))
        self.same_as_run({(scheme, bandwidth): verdict for scheme, bandwidth, verdict in points
                          if scheme in SCHEMES})
        cells = self.all("#winners td[data-verdict]")
        self.assertEqual(len(cells), len(BANDWIDTHS))
        for bandwidth, cell in zip(BANDWIDTHS, cells):
            scheme, verdict = (cell.get_attribute(f"data-{name}") for name in ("scheme", "verdict"))
            self.assertEqual(verdict, self.by_run[scheme, bandwidth])
            self.assertEqual(cell.get_attribute("data-winner"), scheme if verdict == "win" else None)
        card = self.one(".cards .card").text
        self.assertEqual("too close to call" in card or "slower" in card,
                         "win" not in self.by_run.values())


if __name__ == "__main__":
    pages.PROGRAM = os.path.abspath(os.path.join(sys.argv.pop(1), "gardenhose"))
    unittest.main()
