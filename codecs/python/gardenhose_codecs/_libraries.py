# SPDX-License-Identifier: Apache-2.0
"""The two C libraries: where they are, their functions, and their statuses as exceptions."""
import ctypes
import functools
import os
from ctypes import POINTER, c_char_p, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

FOLDER = "GARDENHOSE_CODECS_FOLDER"  # the environment variable
UNKNOWN_CODEC, WRONG_ARGUMENT, UNSUPPORTED = 1, 2, 3


class CKey(ctypes.Structure):
    _fields_ = [("seed", c_uint64), ("step", c_uint32), ("tensor", c_uint32), ("rank", c_uint32),
                ("first_element", c_uint64)]


class CFeedback(ctypes.Structure):
    _fields_ = [("gain", c_float), ("carry", c_float), ("keep", c_float), ("take", c_float)]


# What the headers say: of both libraries, then where they end differently.
ENCODE = [c_void_p, c_size_t, POINTER(CKey)]  # values, elements, key
WIRE = [c_void_p, c_size_t]  # and its bytes
COMMON = {
    "codec_count": [],
    "codec_name": [c_size_t],
    "encoded_bytes": [c_char_p, c_size_t, POINTER(c_size_t)],
    "largest_magnitude": [c_char_p, c_size_t, POINTER(c_float)],
    "scratch_bytes": [c_char_p, c_int, c_size_t, POINTER(c_size_t)],
    "encode": [c_char_p, *ENCODE, *WIRE],
    "encode_feedback": [c_char_p, POINTER(CFeedback), *ENCODE, c_void_p, *WIRE],
    "decode": [c_char_p, *WIRE, c_void_p, c_size_t],
    "decode_add": [c_char_p, *WIRE, c_void_p, c_size_t],
    "decode_add_bf16": [c_char_p, *WIRE, c_void_p, c_size_t],
    "decode_reduce": [c_char_p, *WIRE, c_size_t, c_void_p, c_size_t],
}
# As gardenhose_cuda_operation counts them.
WITH_SCRATCH = ("encode", "encode_feedback", "decode_add", "decode_add_bf16")
ON_GPUS_ALONE = ("scratch_bytes", "decode_add_bf16")
RUNNING = (*WITH_SCRATCH, "decode", "decode_reduce")


def folders():
    """Where a library is looked for before the system's loader is asked, in this order."""
    here = Path(__file__)
    if os.environ.get(FOLDER):
        yield Path(os.environ[FOLDER])
    yield here.parent
    # From build/release/python, which links to the sources; from the sources.
    yield here.parents[2] / "codecs/c"
    yield here.resolve().parents[3] / "build/release/codecs/c"


def load(name):
    """The library of that name, such as libgardenhose_codecs.so."""
    for folder in folders():
        if (folder / name).exists():
            return ctypes.CDLL(str(folder / name))
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        target = name.removeprefix("lib").removesuffix(".so")
        raise OSError(f"{error}; build it with `cmake --build build/release --target {target}`, or "
                      f"set {FOLDER} to the folder that has {name}") from None


class Library:
    """The functions of one library, called by their names without the prefix."""

    def __init__(self, name, prefix, on_gpus):
        self._library, self._on_gpus = load(name), on_gpus
        for function, arguments in COMMON.items():
            if function in ON_GPUS_ALONE and not on_gpus:
                continue
            last = []
            if function in RUNNING:
                scratch = [c_void_p, c_size_t] if function in WITH_SCRATCH else []
                last = [*scratch, c_void_p] if on_gpus else [c_int]
            found = getattr(self._library, prefix + function)
            found.argtypes = [*arguments, *last]
            found.restype = {"codec_count": c_size_t, "codec_name": c_char_p}.get(function, c_int)
            setattr(self, "_" + function, found)
        self.codecs = [self._codec_name(i).decode() for i in range(self._codec_count())]

    def _size(self, function, codec, *of_what):
        size = c_size_t()
        self.check(function(codec.encode(), *of_what, ctypes.byref(size)), codec, "size")
        return size.value

    def encoded_bytes(self, codec, elements):
        return self._size(self._encoded_bytes, codec, elements)

    def largest_magnitude(self, codec, elements):
        largest = c_float()
        status = self._largest_magnitude(codec.encode(), elements, ctypes.byref(largest))
        self.check(status, codec, "largest_magnitude")
        return largest.value

    def scratch_bytes(self, function, codec, elements):
        """Of one call. The CPU's functions need none of the caller's."""
        if not self._on_gpus or function not in WITH_SCRATCH:
            return 0
        return self._size(self._scratch_bytes, codec, WITH_SCRATCH.index(function), elements)

    def run(self, function, codec, arguments, last):
        """One call; `last` are the threads, or scratch, its bytes and the stream."""
        self.check(getattr(self, "_" + function)(codec.encode(), *arguments, *last), codec, function)

    def check(self, status, codec, function):
        where = "GPUs" if self._on_gpus else "CPUs"
        if status == UNKNOWN_CODEC:
            raise ValueError(f"no codec {codec!r} on {where}; choose one of {', '.join(self.codecs)}")
        if status == WRONG_ARGUMENT:
            raise ValueError(f"{function} of {codec}: a number of elements or of bytes is out of range")
        if status == UNSUPPORTED:
            raise NotImplementedError(f"{codec} has no {function} on {where}")
        if status != 0:
            raise RuntimeError(f"{function} of {codec} failed: no memory, no thread, or no usable GPU")


@functools.cache
def cpu():
    return Library("libgardenhose_codecs.so", "gardenhose_", on_gpus=False)


@functools.cache
def cuda():
    return Library("libgardenhose_codecs_cuda.so", "gardenhose_cuda_", on_gpus=True)
