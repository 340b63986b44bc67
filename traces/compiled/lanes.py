# SPDX-License-Identifier: Apache-2.0
"""The registers, predicates and memory of all threads of a grid, and how operands are read.

Values are numpy arrays over the lanes that execute an instruction: `at` holds these lanes' numbers.
"""
import functools
import re

import numpy as np

U32, U64, F32, F64 = np.uint32, np.uint64, np.float32, np.float64
REGISTER = re.compile(r"(U?)R(\d+|Z)(?:\.(64|H0_H0|H1_H1))?$")
CONSTANT = re.compile(r"c\[(0x\d)\]\[(?:(U?R(?:\d+|Z))\+?)?(-?0x[0-9a-f]+)?\]$")
PREDICATE = re.compile(r"(!?)(U?P)(\d|T)$")
WARP = 32
SHARED_BASE = 0x400  # where shared memory begins from compute capability 9.0 on
LOCAL_BYTES = 0x800


@functools.lru_cache(maxsize=None)
def operand_of(text):
    """(negated, inverted, absolute, kind, what)."""
    text = text.replace(".reuse", "").strip()
    negated = text.startswith("-")
    inverted = text.startswith("~")
    text = text[1:] if negated or inverted else text
    absolute = text.startswith("|")
    text = text.strip("|")
    match = REGISTER.match(text)
    if match:
        kind, number, part = match.groups()
        return negated, inverted, absolute, "register", (
            kind, None if number == "Z" else int(number), part)
    match = CONSTANT.match(text)
    if match:
        bank, register, offset = match.groups()
        return negated, inverted, absolute, "constant", (int(bank, 16), register,
                                                         int(offset or "0", 16))
    if text.startswith("0x"):
        return negated, inverted, absolute, "integer", int(text, 16)
    value = {"INF": np.inf, "+INF": np.inf, "QNAN": np.nan, "+QNAN": np.nan}.get(text)
    return negated, inverted, absolute, "float", float(text) if value is None else value


@functools.lru_cache(maxsize=None)
def predicate_of(text):
    match = PREDICATE.match(text)
    return match and (match.group(1) == "!", match.group(2), match.group(3))


class Lanes:
    """All lanes of a grid of `blocks` blocks of whole warps."""

    def __init__(self, blocks, threads, facts, memory, constants):
        self.blocks, self.threads, self.count = blocks, threads, blocks * threads
        self.memory, self.constants = memory, constants
        self.words = {"": np.zeros((facts["registers"] + 4, self.count), U32),
                      "U": np.zeros((128, self.count), U32)}
        self.flags = {"P": np.zeros((8, self.count), bool), "UP": np.zeros((8, self.count), bool)}
        lane = np.arange(self.count)
        self.block, self.thread, self.lane = lane // threads, lane % threads, lane % WARP
        self.warp_start = lane // WARP * WARP
        self.shared = np.zeros((blocks, facts["shared"] // 16 * 16 + 2 * SHARED_BASE), np.uint8)
        self.local = None

    # Predicates

    def predicate(self, text, at):
        negated, kind, number = predicate_of(text)
        if number == "T":
            return np.full(len(at), not negated)
        value = self.flags[kind][int(number), at]
        return ~value if negated else value

    def set_predicate(self, text, at, value):
        _, kind, number = predicate_of(text)
        if number == "T":
            return
        if kind == "UP":
            at, value = self.of_warps(at, value)
        self.flags[kind][int(number), at] = value

    # Words

    def of_warps(self, at, value):
        """All lanes of the warps, with what the first active one of each has."""
        first = np.flatnonzero(np.diff(self.warp_start[at], prepend=-1))
        all_of_them = (self.warp_start[at[first]][:, None] + np.arange(WARP)).ravel()
        return all_of_them, np.repeat(np.broadcast_to(value, at.shape)[first], WARP)

    def _constant(self, what, at, high):
        bank, register, offset = what
        if register is None:
            return U32(self.constants(bank, offset + 4 * high))
        offsets = self.bits(register, at).astype(np.int64) + offset + 4 * high
        unique, which = np.unique(offsets, return_inverse=True)
        return np.array([self.constants(bank, int(o)) for o in unique], U32)[which]

    def bits(self, text, at, high=False):
        """The word as it is stored; `high`: the second of a pair."""
        _, _, _, kind, what = operand_of(text)
        if kind == "register":
            file, number, _ = what
            return U32(0) if number is None else self.words[file][number + high, at]
        if kind == "constant":
            return self._constant(what, at, high)
        if kind == "integer":
            return U32(what >> 32 * high & 0xFFFFFFFF)
        return F32(what).view(U32)

    def word(self, text, at):
        """An integer, as uint32."""
        negated, inverted, _, _, _ = operand_of(text)
        value = self.bits(text, at)
        return ~value if inverted else ~value + U32(1) if negated else value

    def signed(self, text, at):
        return np.asarray(self.word(text, at)).view(np.int32).astype(np.int64)

    def unsigned(self, text, at):
        return np.asarray(self.word(text, at)).astype(np.int64)

    def pair(self, text, at):
        """Two words, as uint64."""
        negated, inverted, _, _, _ = operand_of(text)
        low, high = self.bits(text, at), self.bits(text, at, True)
        value = np.asarray(low).astype(U64) | np.asarray(high).astype(U64) << U64(32)
        with np.errstate(over="ignore"):
            return ~value if inverted else U64(0) - value if negated else value

    def real(self, text, at):
        """A float32, or half of a register as one."""
        negated, _, absolute, kind, what = operand_of(text)
        bits = np.asarray(self.bits(text, at))
        if kind == "register" and what[2] in ("H0_H0", "H1_H1"):
            half = (bits >> U32(16 * (what[2] == "H1_H1"))).astype(np.uint16)
            bits = half.view(np.float16).astype(F32).view(U32)
        bits = bits & U32(0x7FFFFFFF) if absolute else bits
        return (bits ^ U32(0x80000000) if negated else bits).view(F32)

    def double(self, text, at):
        negated, _, absolute, kind, what = operand_of(text)
        if kind == "float":
            value = F64(what)
        elif kind == "integer":
            value = (np.asarray(U64(what & 0xFFFFFFFF)) << U64(32)).view(F64)
        else:
            low, high = self.bits(text, at), self.bits(text, at, True)
            value = (np.asarray(low).astype(U64) | np.asarray(high).astype(U64) << U64(32)).view(F64)
        value = abs(value) if absolute else value
        return -value if negated else value

    def set(self, text, at, value, offset=0):
        _, _, _, _, (kind, number, _) = operand_of(text)
        if number is None:
            return
        value = np.asarray(value)
        if value.dtype == F32:
            value = value.view(U32)
        elif value.dtype != U32:
            value = (value & value.dtype.type(0xFFFFFFFF)).astype(U32)
        if kind == "U":
            at, value = self.of_warps(at, value)
        self.words[kind][number + offset, at] = value

    def set_pair(self, text, at, value):
        value = np.asarray(value)
        if value.dtype == F64:
            value = value.view(U64)
        elif value.dtype != U64:
            value = value.astype(np.int64).view(U64)
        self.set(text, at, value & U64(0xFFFFFFFF))
        self.set(text, at, value >> U64(32), 1)

    def local_memory(self):
        if self.local is None:
            self.local = np.zeros((self.count, LOCAL_BYTES), np.uint8)
        return self.local


class Memory:
    """Device memory: segments by address, which hold zeros until they are written."""

    def __init__(self, sizes, values):
        """`sizes`: [(address, bytes)]; `values`: content by address."""
        self.starts = np.array(sorted(start for start, _ in sizes), U64)
        self.sizes, self.values, self.segments = dict(map(tuple, sizes)), values, {}

    def segment(self, start):
        if start not in self.segments:
            content = np.zeros(-(-self.sizes[start] // 16) * 16, np.uint8)
            value = np.frombuffer(self.values.get(start, b""), np.uint8)
            content[:len(value)] = value
            self.segments[start] = content
        return self.segments[start]

    def parts(self, address, size):
        """(segment, which of the addresses are in it, their offsets)."""
        which = np.searchsorted(self.starts, address, side="right") - 1
        for one in np.unique(which):
            mine = which == one
            start = int(self.starts[one])
            offsets = (address[mine] - U64(start)).astype(np.int64)
            if one < 0 or offsets.max() + size > self.sizes[start]:
                raise RuntimeError(f"no memory at {int(address[mine].max()):#x}")
            yield self.segment(start), mine, offsets

    def part(self, address, size):
        (segment, _, offsets), = self.parts(np.array([address], U64), size)
        return segment[int(offsets[0]):int(offsets[0]) + size]
