#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/tune.py without a GPU: what it reads of the header, what variants are, what it leaves out, and how it
chooses. Argument: a build folder, whose library for CPUs takes the place of those on a GPU."""
import contextlib
import csv
import ctypes
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/gpu"))
sys.dont_write_bytecode = True

import tune  # noqa: E402
import tune_device  # noqa: E402
import tune_screen  # noqa: E402
import tune_space  # noqa: E402
import instructions  # noqa: E402  of traces/compiled
from tune_space import Constant, Operation, Variant  # noqa: E402

BUILD = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ROOT / "build/release"
LIBRARY = BUILD / "codecs/c/libgardenhose_codecs.so"
DECLARED = """// tune: 2 4 8 | encode int8_g128, decode_reduce int8_g128 8
inline constexpr int kOne = 4;
"""
ONE = Constant("kOne", 4, (2, 4, 8), (Operation("encode", "int8_g128"), Operation("decode_reduce", "int8_g128", 8)))


class Spaces(unittest.TestCase):
    def test_a_declaration_is_a_default_with_values_and_operations(self):
        self.assertEqual(tune_space.constants_in(DECLARED), [ONE])
        self.assertEqual([one.label for one in tune_space.variants_of(ONE)], ["default", "kOne_2", "kOne_8"])

    def test_what_is_wrong_is_named(self):
        for text, message in ((DECLARED.replace("= 4", "= 5"), "kOne = 5 is not among the values"),
                              (DECLARED.replace("encode int8", "encode int9"), "sources of int9_g128 are not known"),
                              (DECLARED.replace("inline", "\ninline"), "has no constant")):
            with self.assertRaisesRegex(ValueError, message):
                tune_space.constants_in(text)

    def test_the_header_declares_what_kernels_use(self):
        code = "\n".join((ROOT / path).read_text(encoding="utf-8")
                         for path in tune_space.sources.with_headers(tune_space.sources.kernel_files())
                         if path != tune_space.HEADER)
        for constant in tune_space.constants():
            self.assertIn(constant.name, code)
            for source in constant.sources:
                self.assertTrue((ROOT / source).exists(), source)

    def test_a_variant_is_the_header_with_one_other_value(self):
        text = (ROOT / tune_space.HEADER).read_text(encoding="utf-8")
        for constant in tune_space.constants():
            for value in constant.values:
                changed = tune_space.constants_in(tune_space.header_with(text, constant.name, value))
                self.assertEqual([one._replace(value=value) if one.name == constant.name else one
                                  for one in tune_space.constants()], changed)

    def test_spills_are_those_of_each_kernel_and_architecture(self):
        log = "".join(f"ptxas info    : Compiling entry function '_Z1kv' for 'sm_{architecture}'\n"
                      "ptxas info    : Function properties for _Z1kv\n"
                      f"    8 bytes stack frame, {stored} bytes spill stores, 12 bytes spill loads\n"
                      "ptxas info    : Used 64 registers\n" for architecture, stored in (("80", 8), ("100a", 0)))
        self.assertEqual(tune_space.spills_in(log), {("_Z1kv", "80"): 20, ("_Z1kv", "100"): 12})


class Screens(unittest.TestCase):
    def test_resident_warps_are_what_registers_memory_and_warps_allow(self):
        # 64 registers of 32 lanes are 2048, of 8 warps 16384: four blocks.
        self.assertEqual(tune_screen.resident_warps("90", 256, 64, 0), 32)
        self.assertEqual(tune_screen.resident_warps("90", 256, 16, 0), 64)
        self.assertEqual(tune_screen.resident_warps("120", 256, 16, 0), 48)
        self.assertEqual(tune_screen.resident_warps("80", 256, 16, 81 * 1024), 16)
        self.assertEqual(tune_screen.resident_warps("80", 1024, 128, 0), 0)

    def test_loads_are_in_flight_until_they_are_used(self):
        lines = ("LDG.E.128 R4, desc[UR4][R2.64]", "LDG.E R8, desc[UR4][R2.64+0x10]", "FADD R9, R7, R7",
                 "LDG.E.64 R10, desc[UR4][R2.64]", "FADD R9, R8, R10")
        text = "\t.section\t.text.kernel,\n" + "".join(
            f"        /*{16 * i:04x}*/ {line} ;\n" for i, line in enumerate(lines))
        code = instructions.kernels_in(text)["kernel"]
        # The first ends before the third begins.
        self.assertEqual(tune_screen.bytes_in_flight(code), 16 + 4)

    def test_a_table_has_the_default_first_and_says_what_is_left_out(self):
        operation = ONE.operations[0]
        results = [tune_screen.Screened(Variant(ONE, 4), operation, 32, 0, 64, 131072, 10.0, ""),
                   tune_screen.Screened(Variant(ONE, 8), operation, 64, 16, 32, 262144, 9.0, "spills")]
        head, default, other = tune_screen.table(results)
        self.assertRegex(head, r"^constant +value +operation +registers +spilled +warps +KiB in flight ")
        self.assertRegex(default, r"^kOne +4\* +encode int8_g128 +32 +0 +64 +128\.0 +10\.00 +1\.000$")
        self.assertRegex(other, r"^kOne +8 +encode int8_g128 +64 +16 +32 +256\.0 +9\.00 +0\.900 +spills$")


def timed(value, operation, *seconds, why_not=""):
    return tune_device.Timed(Variant(ONE, value), operation, seconds, why_not)


class Choices(unittest.TestCase):
    A, B = ONE.operations
    DEFAULT = [timed(4, A, 10, 10, 11, 10), timed(4, B, 20, 20, 22, 20)]

    def test_ratios_are_of_the_same_round(self):
        low, median, high = tune_device.ratios(timed(8, self.A, 9, 9, 9.9, 9), self.DEFAULT[0])
        for ratio in (low, median, high):
            self.assertAlmostEqual(ratio, 0.9)

    def test_the_fastest_is_chosen_if_no_operation_is_slower(self):
        faster = [timed(8, self.A, 9, 9, 9.9, 9), timed(8, self.B, 20, 20, 22, 20)]
        value, mean = tune.chosen(ONE, self.DEFAULT + faster)
        self.assertEqual(value, 8)
        self.assertAlmostEqual(mean, 0.9 ** 0.5)
        slower = [timed(2, self.A, 5, 5, 5.5, 5), timed(2, self.B, 21, 21, 23.1, 21)]
        self.assertEqual(tune.chosen(ONE, self.DEFAULT + faster + slower)[0], 8)
        self.assertEqual(tune.chosen(ONE, self.DEFAULT + slower), (4, 1.0))

    def test_the_default_stays_where_little_is_gained_or_a_variant_is_left_out(self):
        little = [timed(8, self.A, 9.9, 9.9, 10.89, 9.9), timed(8, self.B, 19.8, 19.8, 21.78, 19.8)]
        self.assertEqual(tune.chosen(ONE, self.DEFAULT + little), (4, 1.0))
        partly = [timed(8, self.A, 5, 5, 5.5, 5), timed(8, self.B, why_not="writes other bytes")]
        self.assertEqual(tune.chosen(ONE, self.DEFAULT + partly), (4, 1.0))

    def test_rows_are_ranked_and_end_with_what_is_left_out(self):
        results = self.DEFAULT[:1] + [timed(2, self.A, why_not="spills 8 bytes more"),
                                      timed(8, self.A, 9, 9, 9.9, 9)]
        rows = tune.rows_of(results)
        self.assertEqual([row[1] for row in rows], [8, 4, 2])
        self.assertEqual({len(row) for row in rows}, {len(tune.FIELDS)})
        lines = list(tune.lines_of(rows))
        self.assertRegex(lines[0], r"^kOne +8  encode int8_g128 1 +\d+\.\d us  0\.900  0\.900 to 0\.900$")
        self.assertTrue(lines[2].endswith("spills 8 bytes more"))

    def test_each_round_times_all(self):
        order = []
        gpu = mock.Mock(seconds=lambda work: work() or 1.0)
        seconds = tune_device.rounds(gpu, {name: lambda name=name: order.append(name) for name in "ab"}, count=4)
        self.assertEqual({name: len(of_rounds) for name, of_rounds in seconds.items()}, {"a": 4, "b": 4})
        # After what measures how many launches a sample takes: each warms up, and one launch is timed.
        self.assertEqual("".join(order)[4:], "aabbbbaaaabbbbaa")


class HostGpu:
    """Device memory is the host's, and all takes a second."""

    name, architecture = "a host", "90"

    def __init__(self):
        self.kept = {}

    def memory(self, size, content=None):
        buffer = ctypes.create_string_buffer(content or b"", max(size, 16))
        self.kept[ctypes.addressof(buffer)] = buffer
        return ctypes.addressof(buffer)

    def fill(self, address, size):
        ctypes.memset(address, 0, size)

    def content(self, address, size):
        return ctypes.string_at(address, size)

    def free(self, address):
        del self.kept[address]

    def seconds(self, work):
        work()
        return 1.0


class OnHost:
    """The functions for CUDA, by those for CPUs."""

    def __init__(self, library):
        self.on_cpu = library
        self.gardenhose_cuda_encoded_bytes = library.gardenhose_encoded_bytes

    def gardenhose_cuda_scratch_bytes(self, *_):
        return 0

    def gardenhose_cuda_encode(self, codec, values, n, key, wire, wire_bytes, *_):
        return self.on_cpu.gardenhose_encode(codec, values, n, key, wire, wire_bytes, 1)

    def gardenhose_cuda_encode_feedback(self, codec, rule, values, n, key, residual, wire, wire_bytes, *_):
        return self.on_cpu.gardenhose_encode_feedback(codec, rule, values, n, key, residual, wire, wire_bytes, 1)

    def gardenhose_cuda_decode(self, codec, wire, wire_bytes, results, n, _):
        return self.on_cpu.gardenhose_decode(codec, wire, wire_bytes, results, n, 1)

    def gardenhose_cuda_decode_reduce(self, codec, wires, wires_bytes, inputs, results, n, _):
        return self.on_cpu.gardenhose_decode_reduce(codec, wires, wires_bytes, inputs, results, n, 1)


class Wrong(OnHost):
    """Writes other bytes than it should."""

    def gardenhose_cuda_encode(self, codec, values, n, key, wire, wire_bytes, *_):
        super().gardenhose_cuda_encode(codec, values, n, key, wire, wire_bytes)
        ctypes.memset(wire.value, 1, 1)
        return 0

    def gardenhose_cuda_decode_reduce(self, codec, wires, wires_bytes, inputs, results, n, _):
        ctypes.memset(results.value, 0, 4 * n.value)
        return 0


@unittest.skipUnless(LIBRARY.exists(), f"no {LIBRARY}")
class Timings(unittest.TestCase):
    @mock.patch.multiple(tune_device, ELEMENTS=1 << 16, CHECKED=(1 << 17) - 13, ROUNDS=2)
    def test_variants_that_write_other_bytes_are_left_out(self):
        library = ctypes.CDLL(str(LIBRARY))
        libraries = {Variant(ONE, 4): OnHost(library), Variant(ONE, 2): OnHost(library),
                     Variant(ONE, 8): Wrong(library)}
        for operation in (*ONE.operations, Operation("decode", "sign_g2048")):
            results = {one.variant.value: one
                       for one in tune_device.timed(HostGpu(), libraries, operation, library)}
            self.assertEqual((results[4].why_not, results[2].why_not), ("", ""), operation)
            self.assertEqual(len(results[2].seconds), 2)
            if operation in ONE.operations:
                self.assertEqual((results[8].why_not, results[8].seconds), ("writes other bytes", ()))

    @mock.patch.multiple(tune_device, ELEMENTS=1 << 16, CHECKED=(1 << 16) - 13, ROUNDS=3, Gpu=HostGpu)
    def test_the_table_says_where_it_is_from_and_what_was_chosen(self):
        library = OnHost(ctypes.CDLL(str(LIBRARY)))
        library.gardenhose_encode = library.on_cpu.gardenhose_encode
        library.gardenhose_decode_reduce = library.on_cpu.gardenhose_decode_reduce
        with tempfile.TemporaryDirectory() as name, mock.patch.object(ctypes, "CDLL", lambda _: library):
            folder = Path(name) / "tune"
            folder.mkdir()
            (folder / "tuning.hpp").write_text(DECLARED, encoding="utf-8")
            spilled = {2: 0, 4: 0, 8: 24}
            (folder / tune.MANIFEST).write_text(json.dumps(
                [{"constant": "kOne", "value": value, "library": "some.so", "spilled_bytes": {"90": spilled[value]}}
                 for value in (4, 2, 8)]), encoding="utf-8")
            (Path(name) / "commit").write_text("0123abc\n", encoding="utf-8")
            (Path(name) / "libgardenhose_codecs.so").touch()
            with contextlib.redirect_stdout(io.StringIO()):
                tune.time_all(mock.Mock(folder=str(folder), programs=None, constants=[], output=f"{name}/table"))
            lines = Path(name, "table").read_text(encoding="utf-8").splitlines()
            with self.assertRaisesRegex(ValueError, "compiled for 90, and this one is sm_103"):
                tune.libraries_of(ONE, folder, "103")
        self.assertRegex(lines[0], r"^# Variants of kernels on a host \(sm_90\), built from 0123abc, timed on ")
        self.assertEqual(lines[2], "# kOne = 4, as it is")
        rows = list(csv.DictReader(lines[3:]))
        self.assertEqual(len(rows), 3 * len(ONE.operations))
        for row in rows:
            self.assertEqual(row["left_out"], "spills 24 bytes more" if row["value"] == "8" else "")
            self.assertEqual(row["median_s"] == "", row["value"] == "8")

    def test_what_the_library_for_cpus_lacks_is_compared_with_the_default(self):
        library = ctypes.CDLL(str(LIBRARY))
        case = mock.Mock(codec=b"eden4_g4096", inputs=1, wire_bytes=16, float_bytes=16, elements=4, input=bytes(16),
                         is_encode=True, operation=Operation("encode", "eden4_g4096"))
        self.assertIsNone(tune_device.Case.expected(case, library))


if __name__ == "__main__":
    unittest.main()
