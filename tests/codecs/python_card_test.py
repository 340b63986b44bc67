#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""card() of the codecs' Python package: what it measures, and that the simulator takes its files.

Run with PYTHONPATH=build/release/python.
"""
import csv
import json
import tempfile
import unittest
import warnings
from pathlib import Path

import gardenhose
import gardenhose_codecs as gc
import numpy

ROOT = Path(__file__).resolve().parents[2]
KNOWN = json.loads((ROOT / "traces/calibration/codec_error.json").read_text(encoding="utf-8"))


class Cards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "mine.toml"

    def card(self, encode, decode, **more):
        options = {"summary": "mine", "times": "roofline", "elements": 2 ** 17, "seeds": 3, **more}
        return gc.card(self.file, encode, decode, **options)

    def shipped(self, codec, **more):
        return self.card(lambda x: gc.encode(codec, x), lambda wire, n: gc.decode(codec, wire, n),
                         **more)

    def test_errors_are_those_of_codec_error(self):
        for codec in ("int4_g128", "eden3_g4096", "sign_g2048", "nf4_g64", "bf16"):
            with self.subTest(codec):
                card = self.shipped(codec)
                known = KNOWN["codecs"][codec]
                self.assertLess(abs(card.error["normal"] / known["normal"]["relative_l2"] - 1), 0.01)
                # Samples of heavy tails differ.
                self.assertLess(abs(card.error["student_t3"] / known["student_t3"]["relative_l2"] - 1),
                                0.15)
                self.assertAlmostEqual(card.bits_per_element, KNOWN["bits_per_element"][codec], 2)

    def test_sums_tell_whether_errors_are_those_of_rounding(self):
        def fresh(codec):
            step = iter(range(1_000_000))
            return lambda x: gc.encode(codec, x, key=gc.Key(step=next(step)))

        for codec, rounds in (("int4_g128", True), ("eden3_g4096", True), ("sign_g2048", False),
                              ("topk64", False), ("int4_g128_sr", False)):  # with one key for all
            self.assertEqual(self.shipped(codec).rounds, rounds, codec)
        card = self.card(fresh("int4_g128_sr"), lambda wire, n: gc.decode("int4_g128_sr", wire, n))
        self.assertTrue(card.rounds)
        # What the simulator derives from the error of one encode.
        once = KNOWN["codecs"]["int4_g128_sr"]["normal"]["relative_l2"]
        twice = numpy.hypot(once, once * numpy.hypot(1, once))
        self.assertLess(abs(card.error_of_sum["normal"] / twice - 1), 0.02)

    def test_sizes(self):
        def padded(x):  # 100 bytes of header, two bytes a value
            return b"\0" * 100, x.astype(numpy.float16)

        card = self.card(padded, lambda wire, n: wire[1].astype(numpy.float32))
        self.assertEqual((card.bits_per_element, card.overhead_bytes), (16, 100))
        self.assertIn('overhead = "100 B"', self.file.read_text())

        def varying(x):  # as an entropy coder's
            return {"values": x, "more": b"\0" * int(1e4 * abs(x[0]))}

        card = self.card(varying, lambda wire, n: wire["values"])
        self.assertEqual(len(card.bits_per_element), 3)
        self.assertEqual(sorted(card.bits_per_element), card.bits_per_element)
        self.assertGreater(card.bits_per_element[0], 32)
        self.assertEqual(card.error, {"normal": 0, "student_t3": 0})
        self.assertTrue(card.rounds)
        unpacked = self.card(lambda x: x, lambda wire, n: wire, bits_per_element=3.5)
        self.assertEqual(unpacked.bits_per_element, 3.5)

    def test_the_simulator_takes_the_card_and_its_times(self):
        card = self.shipped("eden3_g4096", times="measured", sizes=(2 ** 16, 2 ** 18))
        with open(self.file.with_suffix(".csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["step"], int(row["elements"])) for row in rows],
                         [(step, size) for step in ("encode", "decode")
                          for size in (2 ** 16, 2 ** 18)])
        self.assertTrue(all(float(row["seconds"]) > 0 for row in rows))
        self.assertEqual([row.elements for row in card.times], [int(row["elements"]) for row in rows])
        self.assert_taken("(mine's card)")
        self.shipped("int8_g128")
        self.assert_taken("roofline")

    def assert_taken(self, source):
        scheme = self.file.with_name("scheme.toml")
        text = gardenhose.list("scheme", "tlq_hs")
        scheme.write_text(text.replace("int4_g128_hadamard_sr", "mine.toml"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sizes that were not timed
            report = gardenhose.run(topology="dgx_h100_x16", nodes=2, model="gpt_125m", scheme=scheme)
        sources = [text for name, text in report.sources.items()
                   if name.startswith("codec ") and name.endswith(" mine")]
        self.assertTrue(sources and all(source in text for text in sources), report.sources)
        self.assertIsNotNone(report.codec_error["normal"])

    def test_what_is_wrong(self):
        def same(x):
            return x

        def back(wire, n):
            return wire

        for text, encode, decode, more in (
                ("return float32 of shape", same, lambda wire, n: wire.astype(float), {}),
                ("return float32 of shape", same, lambda wire, n: wire[1:], {}),
                ("encode returns a NoneType", lambda x: None, back, {}),
                ("choose 'cpu' or 'cuda'", same, back, {"device": "gpu"}),
                ("choose 'measured' or 'roofline'", same, back, {"times": "mine"}),
                ("memory_bandwidth is missing", same, back, {"device": "cuda", "times": "measured"}),
                ("elements must be at least 2", same, back, {"elements": 1})):
            with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                self.card(encode, decode, **more)
        self.assertFalse(self.file.exists())
        with self.assertRaisesRegex(ValueError, "ends in .toml"):
            gc.card("mine", same, back, summary="mine")


if __name__ == "__main__":
    unittest.main()
