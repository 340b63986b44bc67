#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package of the codecs: what the C library gives, in place, and what it refuses.

Run with PYTHONPATH=build/release/python. What needs PyTorch is skipped without it.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import gardenhose_codecs as gc
import numpy
from gardenhose_codecs import _libraries

try:
    import torch
except ImportError:
    torch = None

LENGTHS = (0, 1, 31, 4096, 10007)
C = ctypes.CDLL(_libraries.cpu()._library._name)
KEY = gc.Key(seed=2 ** 40 + 1, step=2, tensor=3, rank=4, first_element=32)


def values_of(elements, seed=1):
    return numpy.random.default_rng(seed).standard_t(3, elements).astype(numpy.float32)


def wire_of_c(codec, values, key, threads=1):
    """By the C library, without the package."""
    class CKey(ctypes.Structure):
        _fields_ = [("seed", ctypes.c_uint64), ("step", ctypes.c_uint32),
                    ("tensor", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                    ("first_element", ctypes.c_uint64)]
    size = ctypes.c_size_t()
    assert C.gardenhose_encoded_bytes(codec.encode(), ctypes.c_size_t(values.size),
                                      ctypes.byref(size)) == 0
    wire = numpy.zeros(size.value, numpy.uint8)
    assert C.gardenhose_encode(
        codec.encode(), values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.size),
        ctypes.byref(CKey(*key)), wire.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(wire.size), threads) == 0
    return wire


class EveryCodec(unittest.TestCase):
    def each(self, check):
        for codec in gc.codecs():
            for elements in LENGTHS:
                with self.subTest(codec=codec, elements=elements):
                    check(codec, values_of(elements))

    def test_gives_the_bytes_of_the_c_library(self):
        def check(codec, values):
            expected = wire_of_c(codec, values, KEY)
            self.assertEqual(gc.encoded_bytes(codec, values.size), expected.size)
            out = numpy.full(expected.size, 7, numpy.uint8)
            self.assertIs(gc.encode(codec, values, key=KEY, out=out, threads=3), out)
            numpy.testing.assert_array_equal(out, expected)
            numpy.testing.assert_array_equal(gc.encode(codec, values, key=tuple(KEY)), expected)
        self.each(check)

    def test_feeds_back_what_was_lost(self):
        def check(codec, values):
            residual = numpy.zeros_like(values)
            wire = gc.encode(codec, values, key=KEY, residual=residual)
            back = gc.decode(codec, wire, values.size)
            numpy.testing.assert_array_equal(residual, values - back)
            gc.encode(codec, values, key=KEY, residual=residual, out=wire,
                      feedback=gc.Feedback(gain=0, carry=0, keep=1, take=0))
            numpy.testing.assert_array_equal(residual, values - back)
        self.each(check)

    def test_decodes_adds_and_sums(self):
        def check(codec, values):
            wires = numpy.concatenate([gc.encode(codec, values, key=KEY),
                                       gc.encode(codec, -values, key=KEY)])
            first, second = wires.reshape(2, -1)
            out = numpy.full_like(values, 9)
            self.assertIs(gc.decode(codec, first, out=out), out)
            expected = out + gc.decode(codec, second, values.size, threads=2)
            self.assertIs(gc.decode_add(codec, second, out), out)
            numpy.testing.assert_array_equal(out, expected)
            try:
                sums = gc.decode_reduce(codec, wires.reshape(2, -1), values.size)
            except NotImplementedError as error:
                self.assertEqual(str(error), f"{codec} has no decode_reduce on CPUs")
                self.assertNotIn(codec, ("int8_g128", "sign_g2048", "topk64"))
                return
            numpy.testing.assert_allclose(sums, expected, rtol=1e-5, atol=1e-5)
            self.assertIs(gc.decode_reduce(codec, wires, out=out, threads=2), out)
            numpy.testing.assert_array_equal(out, sums)
        self.each(check)


class Shapes(unittest.TestCase):
    def test_values_may_have_any_shape_and_alignment(self):
        matrix = values_of(60).reshape(3, 4, 5)
        numpy.testing.assert_array_equal(gc.encode("int8_g128", matrix),
                                         gc.encode("int8_g128", matrix.ravel()))
        shifted = numpy.zeros(61, numpy.float32)[1:]
        wire = numpy.zeros(gc.encoded_bytes("int8_g128", 60) + 3, numpy.uint8)[3:]
        gc.encode("int8_g128", matrix, out=wire)
        gc.decode("int8_g128", wire, out=shifted)
        numpy.testing.assert_array_equal(shifted, gc.decode("int8_g128", wire, 60))

    def test_a_wire_of_bytes_is_read_in_place(self):
        wire = gc.encode("int8_g128", values_of(100))
        numpy.testing.assert_array_equal(
            gc.decode("int8_g128", numpy.frombuffer(wire.tobytes(), numpy.uint8), 100),
            gc.decode("int8_g128", wire, 100))


class WrongArguments(unittest.TestCase):
    def refused(self, text, call, *arguments, **named):
        with self.assertRaisesRegex(ValueError, text):
            call(*arguments, **named)

    def test_of_encode(self):
        x = values_of(100)
        wire = gc.encode("int8_g128", x)
        for text, argument, named in (
                ("x is a list; pass a NumPy array", list(x), {}),
                ("x is of float64; pass float32, e.g. x.astype", x.astype(float), {}),
                ("x is of >f4; pass float32", x.astype(">f4"), {}),
                ("x is not contiguous; pass numpy.ascontiguousarray", x[::2], {}),
                ("x is not contiguous", x.reshape(10, 10).T, {}),
                (f"out has 1 bytes; pass one of {wire.size}", x, {"out": wire[:1]}),
                ("out is of float32; pass uint8", x, {"out": x}),
                ("out is a bytearray", x, {"out": bytearray(wire)}),
                ("out is written, but is read-only", x,
                 {"out": numpy.frombuffer(wire.tobytes(), numpy.uint8)}),
                ("residual has 99 elements; pass one of 100", x, {"residual": x[1:].copy()}),
                ("x and residual overlap|residual and x overlap", x, {"residual": x}),
                ("feedback without a residual", x, {"feedback": gc.Feedback()}),
                ("threads is 0", x, {"threads": 0}),
                ("threads is 1.5; pass a whole number", x, {"threads": 1.5}),
                ("key.seed is -1; pass a number from 0", x, {"key": gc.Key(seed=-1)}),
                ("key is 7; pass a Key", x, {"key": 7}),
                ("key.seed is 0.5; pass a whole", x, {"key": gc.Key(seed=0.5)}),
                ("feedback is 1; pass a Feedback", x, {"feedback": 1, "residual": x.copy()}),
                (r"feedback is \(1, 2\); pass a Feedback, or its 4 numbers as a tuple", x,
                 {"feedback": (1, 2), "residual": x.copy()}),
                (r"key is \(1, 2\); pass a Key, or its 5 numbers", x, {"key": (1, 2)}),
                ("pass four numbers", x, {"feedback": ("a", 1, 0, 1), "residual": x.copy()}),
                ("key.step is 4294967296", x, {"key": gc.Key(step=2 ** 32)}),
                ("key.first_element is 8; pass a multiple of 16", x,
                 {"key": gc.Key(first_element=8)})):
            self.refused(text, gc.encode, "int8_g128", argument, **named)
        self.refused("no codec 'int9' on CPUs; choose one of fp32, bf16", gc.encode, "int9", x)
        self.refused("codec is a bytes; pass a name", gc.encode, b"bf16", x)

    def test_of_decodes(self):
        wire = gc.encode("int8_g128", values_of(100))
        self.refused("needs a number of elements or out", gc.decode, "int8_g128", wire)
        self.refused("not both", gc.decode, "int8_g128", wire, 100, out=values_of(100))
        self.refused("wire has 128 bytes; pass one of", gc.decode, "int8_g128", wire, 2 ** 47)
        self.refused("elements is -1", gc.decode, "int8_g128", wire, -1)
        self.refused("wire is of int8; pass uint8", gc.decode, "int8_g128",
                     wire.view(numpy.int8), 100)
        memory = numpy.zeros(100, numpy.float32)
        self.refused("overlap; pass arrays that do not", gc.decode, "int8_g128",
                     memory.view(numpy.uint8)[16:16 + wire.size], out=memory)
        self.refused("pass an array, or call decode", gc.decode_add, "int8_g128", wire, None)
        self.refused("wires has 127 bytes; 100 values of int8_g128 are 128 bytes each",
                     gc.decode_reduce, "int8_g128", wire[:-1], 100)
        self.refused("wires has 0 bytes", gc.decode_reduce, "int8_g128", wire[:0], 100)

    def test_of_names_and_sizes(self):
        self.refused("choose 'cpu' or 'cuda'", gc.codecs, "gpu")
        self.refused("elements is 1.0; pass a whole number", gc.encoded_bytes, "bf16", 1.0)
        self.refused("elements is 281474976710656", gc.encoded_bytes, "bf16", 2 ** 48)
        self.assertEqual(gc.encoded_bytes("bf16", numpy.int64(8)), 16)

    def test_largest_magnitude_decodes_to_finite_values(self):
        for codec in gc.codecs():
            largest = gc.largest_magnitude(codec, 1000)
            values = numpy.full(1000, largest, numpy.float32)
            decoded = gc.decode(codec, gc.encode(codec, values), 1000)
            self.assertTrue(numpy.isfinite(decoded).all(), codec)


class Finding(unittest.TestCase):
    def run_with(self, folder, program, **environment):
        return subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(folder),
                 "PYTHONDONTWRITEBYTECODE": "1", **environment})

    def test_the_library_is_beside_the_package_or_where_the_variable_says(self):
        package, built = Path(gc.__file__).parent, Path(C._name).resolve()
        program = "import gardenhose_codecs as g; print(len(g.codecs()))"
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch, "gardenhose_codecs")
            copy.mkdir()
            for file in package.glob("*.py"):
                (copy / file.name).write_bytes(file.read_bytes())
            done = self.run_with(scratch, program)
            self.assertIn("cmake --build build/release --target gardenhose_codecs", done.stderr)
            named = self.run_with(scratch, program, GARDENHOSE_CODECS_FOLDER=str(Path(C._name).parent))
            self.assertEqual(named.stdout, f"{len(gc.codecs())}\n", named.stderr)
            (copy / "libgardenhose_codecs.so").symlink_to(built)
            beside = self.run_with(scratch, program)
            self.assertEqual(beside.stdout, named.stdout, beside.stderr)

    def test_neither_numpy_nor_torch_is_imported(self):
        done = self.run_with(Path(gc.__file__).parents[1], """
import sys, gardenhose_codecs as g
assert g.encoded_bytes("bf16", 8) == 16
try:
    g.encode("bf16", [1.0])
except ValueError as error:
    assert "pass a NumPy array" in str(error)
assert "numpy" not in sys.modules and "torch" not in sys.modules""")
        self.assertEqual(done.returncode, 0, done.stderr)


@unittest.skipUnless(torch, "PyTorch is not installed")
class Tensors(unittest.TestCase):
    def test_give_the_bytes_of_arrays(self):
        for codec in gc.codecs():
            values = values_of(10007)
            tensor, kept, kept_tensor = torch.from_numpy(values), values * 0, torch.zeros(10007)
            wire = gc.encode(codec, tensor, key=KEY, residual=kept_tensor)
            self.assertIsInstance(wire, torch.Tensor)
            expected = gc.encode(codec, values, key=KEY, residual=kept)
            numpy.testing.assert_array_equal(wire.numpy(), expected)
            numpy.testing.assert_array_equal(kept_tensor.numpy(), kept)
            back = gc.decode(codec, wire, out=tensor.clone().view(10007, 1))
            numpy.testing.assert_array_equal(back.numpy().ravel(), gc.decode(codec, expected, 10007))
            # A mixed call: all is in the host's memory.
            gc.decode_add(codec, expected, back)

    def test_are_refused(self):
        x = torch.zeros(100)
        for text, tensor in (("x is of torch.float64; pass float32, e.g. x.to", x.double()),
                             ("x is of torch.bfloat16", x.bfloat16()),
                             ("x is not contiguous", x[::2]),
                             ("x is not contiguous", x.to_sparse()),
                             ("x is on meta", x.to("meta"))):
            with self.assertRaisesRegex(ValueError, text):
                gc.encode("int8_g128", tensor)
        wire = gc.encode("int8_g128", x.requires_grad_())
        with self.assertRaisesRegex(ValueError, r"out is written, but requires a gradient; pass "):
            gc.decode("int8_g128", wire, out=x)


if __name__ == "__main__":
    unittest.main()
