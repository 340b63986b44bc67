#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The comparison with peers, as far as it needs no GPU: names of formats, bytes moved, the table,
the picture; and, where Python has PyTorch, that its forms of the codecs lose what the references
lose (traces/calibration/codec_error.json)."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEERS = os.path.join(ROOT, "tests/peers")
sys.path.insert(0, PEERS)
sys.dont_write_bytecode = True

import formats  # noqa: E402
import report  # noqa: E402

try:
    import torch
except ImportError:
    torch = None


def peer_row(peer, bandwidth, times_faster, elements=1 << 26, **changes):
    return {"codec": "int8_g128", "to": "", "operation": "encode", "variant": "", "inputs": 1,
            "elements": elements, "peer": peer, "median_s": 1e-3, "spread_s": 2e-5, "bandwidth_Bps": bandwidth,
            "times_faster": times_faster, **changes}


def result_of(rows):
    return {"gpu": "NVIDIA H200", "copy_bandwidth_Bps": 4e12, "rows": rows,
            "skipped": [{"peer": "torchao", "why": "not importable", "rows": ["int8_g128 encode"]}]}


class Formats(unittest.TestCase):
    def test_every_shipped_codec_has_a_format(self):
        with open(os.path.join(ROOT, "traces/calibration/codec_error.json"),
                  encoding="utf-8") as stream:
            names = json.load(stream)["codecs"]
        parsed = {name: formats.parse(name) for name in names}
        self.assertEqual(parsed["int4_g2048_sr"], formats.Format("int4", "amax", 2048, True))
        self.assertEqual(parsed["int8_g128_hadamard_sr"].rotation, "hadamard")
        # How these two round their scales.
        self.assertEqual(parsed["mxfp4_sr"], formats.Format("e2m1", "e8m0_even", 32, True))
        self.assertEqual(parsed["mxfp4_ceil"].scale, "e8m0_ceil")

    def test_names_spell_scales_rotations_and_top_k(self):
        self.assertEqual(formats.parse("mxfp4_even").scale, "e8m0_even")
        self.assertEqual(formats.parse("nvfp4"), formats.Format("e2m1", "e4m3_tensor", 16))
        self.assertEqual(formats.parse("e4m3_tensor").group, 0)
        self.assertEqual(formats.parse("codebook2_g4096_top64").keep, 64)
        self.assertEqual(formats.parse("lloyd4_g1024_rht1024").block, 1024)
        self.assertIsNone(formats.parse("powersgd_r4"))

    def test_values_of_half_the_size_move_half_the_bytes_of_values(self):
        # INT8 in groups of 128 moves 4 + 1 + 4/128 bytes an element, of which 2 go.
        row = formats.Row("int8_g128", "encode", 1, 128, 128 * 5.03125, 1.0)
        self.assertEqual(row.moved_by(2), 128 * 3.03125)
        self.assertEqual(row.moved_by(4), row.moved_bytes)


class Report(unittest.TestCase):
    def test_the_fastest_peer_stands_for_its_row(self):
        rows = [peer_row("PyTorch", 1e12, 3.0), peer_row("Triton", 2e12, 1.5),
                peer_row("PyTorch", 1e12, 6.0, operation="decode")]
        self.assertEqual([row["peer"] for row in report.best_rows(result_of(rows))],
                         ["Triton", "PyTorch"])
        text = report.markdown(result_of(rows))
        self.assertIn("| int8_g128 | encode | 256 MiB | 3000 | 75% | Triton | 2000 | 1.50 |", text)
        # The geometric mean of 1.5 and 6 is 3.
        self.assertIn("1.50 times as fast at the least, 3.00 on average", text)
        self.assertIn("- torchao: not importable (int8_g128 encode)", text)

    def test_no_rows_are_no_failure(self):
        self.assertIn("No peer ran", report.markdown(result_of([])))


class Picture(unittest.TestCase):
    def draw(self, text):
        return subprocess.run([os.path.join(ROOT, "plots/peers.py")], input=text.encode(),
                              capture_output=True, check=False)

    def test_the_same_picture_twice(self):
        text = json.dumps(result_of([peer_row("Triton", 2e12, 1.5)]))
        first, second = self.draw(text), self.draw(text)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        self.assertIn(b"<svg", first.stdout)

    def test_a_dry_run_is_no_picture(self):
        dry = {**result_of([peer_row("Triton", 2e12, 1.5)]), "kind": "dry run"}
        for text in ("", json.dumps(dry)):
            self.assertNotEqual(self.draw(text).returncode, 0)


class Scripts(unittest.TestCase):
    def test_without_pytorch_or_gpu_nothing_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "table.json")
            with open(table, "w", encoding="utf-8") as stream:
                json.dump({"gpu": "NVIDIA H200", "codecs": []}, stream)
            subprocess.run([os.path.join(PEERS, "run.sh"), table, folder], check=True,
                           env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, capture_output=True)

    def test_other_sources_stay_outside_the_repository(self):
        inside = os.path.join(ROOT, "build", "others")
        done = subprocess.run([os.path.join(PEERS, "build_others.sh"), inside],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("inside the repository", done.stderr)


class OldPyTorch(unittest.TestCase):
    def test_formats_whose_types_it_lacks_are_unsupported(self):
        script = """if True:
            import sys, types
            old = types.ModuleType("torch")
            old.bfloat16, old.float16, old.__version__ = "bf16", "fp16", "1.13"
            sys.modules["torch"] = old
            import formats, torch_coder
            for name in sys.argv[1:]:
                try:
                    torch_coder.Coder(formats.parse(name), "cpu")
                except torch_coder.Unsupported as why:
                    print(name, why)"""
        names = ["bf16", "int8_g128", "mxfp8", "e5m2_g128", "nvfp4"]
        done = subprocess.run([sys.executable, "-Bc", script, *names], cwd=PEERS, check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(),
                         [f"{name} FP8 types need PyTorch 2.1; this is 1.13" for name in names[2:]])


@unittest.skipIf(torch is None, "no PyTorch here: apt-get install python3-torch")
class Forms(unittest.TestCase):
    def test_they_lose_what_the_references_lose(self):
        import torch_coder
        torch.manual_seed(1)
        values = torch.randn(1 << 18)
        with open(os.path.join(ROOT, "traces/calibration/codec_error.json"),
                  encoding="utf-8") as stream:
            table = json.load(stream)["codecs"]
        for name, errors in table.items():
            form = formats.parse(name)
            if form is None or form.element == "fp32":
                continue
            with self.subTest(name):
                try:
                    coder = torch_coder.Coder(form, "cpu")
                except torch_coder.Unsupported as why:
                    self.skipTest(str(why))
                lost = (coder.decode(coder.encode(values)) - values).norm() / values.norm()
                self.assertAlmostEqual(float(lost) / errors["normal"]["relative_l2"], 1, delta=0.03)


if __name__ == "__main__":
    unittest.main()
