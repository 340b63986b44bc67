# SPDX-License-Identifier: Apache-2.0
"""Loads, stores and atomic operations, over lanes, as in integers.py."""
import re

import numpy as np

import lanes
from integers import full
from lanes import U32, U64
from warps import REDUCE

ADDRESS = re.compile(r"\[([^\[\]]*)\]$")
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}


def width_of(one):
    return next((size for name, size in WIDTHS.items() if name in one.mods), 4)


def address_of(l, at, text):
    total = np.zeros(len(at), U64)
    for term in ADDRESS.search(text).group(1).split("+"):
        name, _, part = term.partition(".")
        if part == "64":
            value = l.pair(name, at)
        else:
            value = np.asarray(l.word(name, at)).astype(U64)
            if part.startswith("X"):
                value = value * U64(int(part[1:]))
        if term.startswith("-0x"):
            value = U64((1 << 64) - int(term[1:], 16))
        total = total + value
    return total


def places(l, at, one, text, size):
    """(array of bytes, which lanes, the bytes' numbers) for each segment of memory."""
    address = address_of(l, at, text)
    if one.base in ("LDG", "STG", "RED", "REDG", "ATOMG", "ATOM", "LD", "ST"):
        yield from l.memory.parts(address, size)
        return
    array = l.local_memory() if one.base in ("LDL", "STL") else l.shared
    row = at if one.base in ("LDL", "STL") else l.block[at]
    offset = (address & U64(0xFFFFFF)).astype(np.int64)
    if offset.max() + size > array.shape[1]:
        raise RuntimeError(f"{one.text}: beyond the memory of a block or thread")
    yield array.reshape(-1), np.ones(len(at), bool), row * array.shape[1] + offset


def registers_of(one, operands):
    """What is loaded or stored word by word, as (name, number from there). 32 bytes are in two names; of a
    load the second has the lower half, of a store the first."""
    words = range(max(1, width_of(one) // 4))
    if "256" not in one.mods:
        return [(operands[0], i) for i in words]
    low, high = operands if one.base.startswith("ST") else operands[::-1]
    return [(low if i < 4 else high, i % 4) for i in words]


def load(l, at, one):
    size = width_of(one)
    registers = registers_of(one, one.operands[:2])
    words = len(registers)
    value = np.zeros((words, len(at)), U32)
    kind = {1: np.uint8, 2: np.uint16}.get(size, U32)
    for array, which, offsets in places(l, at, one, one.operands[-1], size):
        cells = array[:len(array) // 4 * 4].view(kind)
        for i in range(words):
            found = cells[offsets // min(size, 4) + i]
            if one.mods & {"S8", "S16"}:
                found = found.view(np.int8 if size == 1 else np.int16).astype(np.int32).view(U32)
            value[i, which] = found
    for i, (name, number) in enumerate(registers):
        l.set(name, at, value[i], number)


def store(l, at, one):
    size, sources = width_of(one), 2 if "256" in one.mods else 1
    kind = {1: np.uint8, 2: np.uint16}.get(size, U32)
    for array, which, offsets in places(l, at, one, one.operands[-1 - sources], size):
        cells = array[:len(array) // 4 * 4].view(kind)
        for i, (name, number) in enumerate(registers_of(one, one.operands[-sources:])):
            _, register, _ = lanes.operand_of(name)[4]
            value = full(at, l.bits(name, at, number) if register is not None else U32(0))
            cells[offsets // min(size, 4) + i] = value[which].astype(kind)


def atomic(l, at, one):
    operands = list(one.operands)
    result = None if one.base.startswith("RED") else operands.pop(0)
    operands = [o for o in operands if not lanes.predicate_of(o)]
    value = full(at, U32(1) if "POPC" in one.mods else l.word(operands[1], at))
    how = REDUCE["SUM" if one.mods & {"ADD", "INC"} else
                 next(m for m in one.mods if m in REDUCE)]
    wide = "64" in one.mods
    if wide:
        value = full(at, l.pair(operands[1], at))
    for array, which, offsets in places(l, at, one, operands[0], 8 if wide else 4):
        if wide:
            for offset, addend in zip(offsets, value[which]):
                cell = array[offset:offset + 8].view(U64)
                cell[0] = how(cell[0], addend)
            continue
        cells = array[:len(array) // 4 * 4].view(U32)
        if result in (None, "RZ"):
            how.at(cells, offsets // 4, value[which])
            continue
        before = np.zeros(len(offsets), U32)
        for i, (offset, addend) in enumerate(zip(offsets // 4, value[which])):
            before[i] = cells[offset]
            cells[offset] = how(cells[offset], addend)
        found = np.zeros(len(at), U32)
        found[which] = before
        l.set(result, at[which], before)
