# SPDX-License-Identifier: Apache-2.0
"""The codecs of Gardenhose on NumPy arrays and PyTorch tensors, on CPUs and NVIDIA GPUs.

    import numpy, gardenhose_codecs
    values = numpy.random.default_rng(0).standard_normal(1000, dtype=numpy.float32)
    wire = gardenhose_codecs.encode("int8_g128", values)
    back = gardenhose_codecs.decode("int8_g128", wire, len(values))

Values are float32 and wires uint8, both contiguous, of any shape; nothing is copied or converted.
Anything else is a ValueError that says what to pass. A codec without an operation raises
NotImplementedError. Arrays in the host's memory, tensors too, are encoded on the CPU with `threads`
threads; other Python threads run meanwhile. All CUDA tensors of a call are on one device, and start
on 16 bytes there, as torch.empty's do. Their work is enqueued on that device's current stream, as
PyTorch's own, and can be captured in a CUDA graph.

card() measures a codec of your own and writes its card for the simulator.

Wires are the same on CPUs and GPUs. Their layouts are in the headers of Gardenhose's codecs.

The C libraries libgardenhose_codecs.so and, for CUDA tensors, libgardenhose_codecs_cuda.so are looked
for in the folder that GARDENHOSE_CODECS_FOLDER names, beside this package, in build/release, and where
the system's loader looks.
"""
import ctypes
import operator
import typing

from typing import Any, List, Optional

from gardenhose_codecs import _libraries
from gardenhose_codecs._arrays import Memory, is_bf16_on_gpu, require_apart
from gardenhose_codecs._card import Card, card

__all__ = ["Card", "Feedback", "Key", "card", "codecs", "decode", "decode_add", "decode_reduce",
           "encode", "encoded_bytes", "largest_magnitude"]


class Key(typing.NamedTuple):
    """The random bits of stochastic rounding: the same key gives the same bytes. Ranks that encode the
    same tensor should differ in `rank`, so that their errors do not add up. A tensor encoded in pieces
    draws the same bits as when encoded whole if `first_element`, a multiple of 16, is the index of
    the piece's first value."""

    seed: int = 0
    step: int = 0
    tensor: int = 0
    rank: int = 0
    first_element: int = 0


class Feedback(typing.NamedTuple):
    """Error feedback: what is encoded is gain * values + carry * residual; then residual = keep *
    residual + take * (what was encoded - what it decodes to)."""

    gain: float = 1
    carry: float = 1
    keep: float = 0
    take: float = 1


def codecs(device: str = "cpu") -> List[str]:
    """Names of the codecs that work on "cpu" or on "cuda"."""
    return list(_library(device).codecs)


def encoded_bytes(codec: str, elements: int, device: str = "cpu") -> int:
    """Bytes of the wire of so many values, as the library of "cpu" or of "cuda" has them."""
    return _library(device).encoded_bytes(_name(codec), _count("elements", elements))


def largest_magnitude(codec: str, elements: int, device: str = "cpu") -> float:
    """Up to this magnitude, so many values decode to finite ones; larger ones may not."""
    return _library(device).largest_magnitude(_name(codec), _count("elements", elements))


def encode(codec: str, x: Any, *, key: Optional[Key] = None, out: Any = None, residual: Any = None,
           feedback: Optional[Feedback] = None, threads: int = 1) -> Any:
    """The wire of the float32 values `x`: `out`, or a new one-dimensional uint8 array of x's kind.

    key: a Key, or None for zeros. residual: float32, as many as x, zeros at first; with it there is
    error feedback by the rule `feedback` (default: Feedback()), and it is updated in place.
    """
    if feedback is not None and residual is None:
        raise ValueError("feedback without a residual; pass residual=numpy.zeros_like(x)")
    values = Memory("x", x, "float32")
    call = _Call(codec, values, threads)
    wire = call.result("out", out, call.encoded_bytes(values.elements), "uint8")
    numbers = _tuple(Key, "key", key)
    for field, value in zip(Key._fields, numbers):
        _count(f"key.{field}", value, 2 ** 32 if field in ("step", "tensor", "rank") else 2 ** 64)
    if numbers.first_element % 16:
        raise ValueError(f"key.first_element is {numbers.first_element}; pass a multiple of 16")
    c_key = ctypes.byref(_libraries.CKey(*map(operator.index, numbers)))
    if residual is None:
        call.run("encode", values.elements, values.address, values.elements, c_key, wire.address,
                 wire.elements)
        return wire.array
    kept = call.result("residual", residual, values.elements, "float32")
    try:
        rule = ctypes.byref(_libraries.CFeedback(*_tuple(Feedback, "feedback", feedback)))
    except TypeError:
        raise ValueError(f"feedback is {feedback!r}; pass four numbers") from None
    call.run("encode_feedback", values.elements, rule, values.address, values.elements, c_key,
             kept.address, wire.address, wire.elements)
    return wire.array


def decode(codec: str, wire: Any, elements: Optional[int] = None, *, out: Any = None,
           threads: int = 1) -> Any:
    """The values of a wire: `out`, of float32, or a new one-dimensional array of so many `elements`."""
    return _decode("decode", codec, wire, elements, out, threads)


def decode_add(codec: str, wire: Any, out: Any, *, threads: int = 1) -> Any:
    """out += the values of the wire; returns `out`. On a GPU it may be a bfloat16 tensor, a model's: out
    = bf16(out + bf16(values))."""
    if out is None:
        raise ValueError("decode_add adds to out; pass an array, or call decode")
    function = "decode_add_bf16" if is_bf16_on_gpu(out) else "decode_add"
    return _decode(function, codec, wire, None, out, threads)


def decode_reduce(codec: str, wires: Any, elements: Optional[int] = None, *, out: Any = None,
                  threads: int = 1) -> Any:
    """The sum of wires that lie end to end, each of so many `elements` or of as many as `out` has: from
    0, in their order."""
    return _decode("decode_reduce", codec, wires, elements, out, threads)


def _decode(function, codec, wire, elements, out, threads):
    if (elements is None) == (out is None):
        raise ValueError(f"{function} needs a number of elements or out, not both")
    source = Memory("wires" if function == "decode_reduce" else "wire", wire, "uint8")
    call = _Call(codec, source, threads)
    dtype = "bfloat16" if function == "decode_add_bf16" else "float32"
    values = None if out is None else call.result("out", out, None, dtype)
    count = _count("elements", elements) if values is None else values.elements
    inputs = []
    bytes_each = call.encoded_bytes(count)
    if function == "decode_reduce":
        inputs = [source.elements // bytes_each if bytes_each else 1]
        if source.elements != inputs[0] * bytes_each or inputs[0] == 0:
            raise ValueError(f"wires has {source.elements} bytes; {count} values of {codec} are "
                             f"{bytes_each} bytes each: pass a multiple")
    else:
        _require_count("wire", source, bytes_each)
    values = values or call.result("out", None, count, "float32")
    call.run(function, count, source.address, source.elements, *inputs, values.address, count)
    return values.array


class _Call:
    """One call of the library that works where the first array lies."""

    def __init__(self, codec, first, threads):
        self._codec, self._first, self._memories = _name(codec), first, [first]
        self._library = _library("cuda" if first.gpu else "cpu")
        self._threads = _count("threads", threads, 2 ** 31)
        if self._threads == 0:
            raise ValueError("threads is 0; pass at least 1")

    def encoded_bytes(self, elements):
        return self._library.encoded_bytes(self._codec, elements)

    def result(self, name, out, elements, dtype):
        """`out`, checked, or a new array. With `elements` None any length of `out` is right."""
        memory = Memory(name, self._first.empty(elements, dtype) if out is None else out, dtype,
                        written=True)
        if elements is not None:
            _require_count(name, memory, elements)
        self._memories.append(memory)
        return memory

    def run(self, function, elements, *arguments):
        require_apart(self._memories)
        if not self._first.gpu:
            self._library.run(function, self._codec, arguments, [self._threads])
            return
        cuda = self._first.module.cuda
        with cuda.device(self._first.gpu):
            stream = cuda.current_stream().cuda_stream
            scratch = []
            if function in _libraries.WITH_SCRATCH:
                needed = self._library.scratch_bytes(function, self._codec, elements)
                memory = self._first.empty(needed, "uint8")
                scratch = [memory.data_ptr(), needed]
            self._library.run(function, self._codec, arguments, [*scratch, stream])


def _library(device):
    if device not in ("cpu", "cuda"):
        raise ValueError(f"device is {device!r}; choose 'cpu' or 'cuda'")
    return _libraries.cuda() if device == "cuda" else _libraries.cpu()


def _name(codec):
    if not isinstance(codec, str):
        raise ValueError(f"codec is a {type(codec).__name__}; pass a name, see codecs()")
    return codec


def _tuple(kind, name, given):
    """A Key or Feedback: the default, or what was given as one or as a plain tuple of all its fields."""
    try:
        return kind() if given is None else kind._make(given)
    except TypeError:
        raise ValueError(f"{name} is {given!r}; pass a {kind.__name__}, or its {len(kind._fields)} "
                         "numbers as a tuple") from None


def _count(name, value, limit=2 ** 48):
    try:
        count = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {value!r}; pass a whole number") from None
    if not 0 <= count < limit:
        raise ValueError(f"{name} is {count}; pass a number from 0 to {limit - 1}")
    return count


def _require_count(name, memory, wanted):
    if memory.elements != wanted:
        raise ValueError(f"{name} has {memory.elements} {memory.unit}; pass one of {wanted}")
