# SPDX-License-Identifier: Apache-2.0
"""Instructions that move and compute words, each a function of the thread and the instruction.

A function returns whether it knew what to do; else what the instruction writes is unknown.
"""
import re
import struct

from thread import CONSTANT, MASK, is_predicate, signed


def move(t, one):
    if "64" in one.mods:
        t.set_pair(one.operands[0], t.pair(one.operands[1]))
    else:
        t.set(one.operands[0], t.word(one.operands[1]))
    return True


def load_constant(t, one):
    name, source = one.operands[0], one.operands[1]
    width = 4 if "128" in one.mods else 2 if "64" in one.mods else 1
    match = CONSTANT.match(source)
    if not match or any(m in one.mods for m in ("U8", "S8", "U16", "S16")):
        return False
    kind, number = re.match(r"(U?R)(\d+|Z)", name).groups()
    at = t.offset(match)
    if number == "Z" or at is None:
        return number == "Z"
    for i in range(width):
        t.set(kind + str(int(number) + i), t.constants(at + 4 * i))
    return True


def special(t, one):
    t.set(one.operands[0], t.place.get(one.operands[1]))
    return True


def clock_or_zero(t, one):
    value = 0 if one.operands[1] == "SRZ" else None
    (t.set if "32" in one.mods else t.set_pair)(one.operands[0], value)
    return True


def add(t, one):
    operands = list(one.operands)
    outs = []
    name = operands.pop(0)
    while operands and is_predicate(operands[0]) and not operands[0].startswith("!"):
        outs.append(operands.pop(0))
    ins = []
    while operands and is_predicate(operands[-1]):
        ins.insert(0, operands.pop())
    if "64" in one.mods:
        values = [t.pair(o) for o in operands]
        t.set_pair(name, None if None in values else sum(values) & (1 << 64) - 1)
        for out in outs:
            t.set_predicate(out, None)
        return True
    total = 0
    for operand in operands:
        value, plus = t.terms(operand)
        if value is None:
            total = None
            break
        total += value + plus
    if total is not None and "X" in one.mods:
        carries = [t.predicate(p) for p in ins]
        # "-R" of the high word is ~R there: its carry comes from below.
        total = None if None in carries else total + sum(carries) - sum(
            o.startswith("-") and not o.startswith("-0x") for o in operands)
    t.set(name, total)
    for i, out in enumerate(outs):
        t.set_predicate(out, None if total is None else total >> 32 > i)
    return True


def written(operands):
    """The word that an instruction writes, the predicates, and the other operands."""
    first = 1
    while first < len(operands) and is_predicate(operands[first]):
        first += 1
    return operands[0], list(operands[1:first]), list(operands[first:])


def multiply_add(t, one):
    name, outs, operands = written(one.operands)
    ins = [operands.pop()] if is_predicate(operands[-1]) else []
    unsigned = "U32" in one.mods
    a, b = t.word(operands[0]), t.word(operands[1])
    wide, high = "WIDE" in one.mods, "HI" in one.mods
    if 0 in (a, b):
        product = 0
    elif None in (a, b):
        product = None
    else:
        product = a * b if unsigned else signed(a) * signed(b)
    # The high word's addend is a pair, too.
    c = t.pair(operands[2]) if wide or high else t.word(operands[2])
    total = None if product is None or c is None else product + c
    if high and total is not None:
        total >>= 32
    if total is not None and "X" in one.mods:
        carry = t.predicate(ins[0]) if ins else None
        total = None if carry is None else total + carry
    (t.set_pair if wide else t.set)(name, total)
    for out in outs:
        t.set_predicate(out, None if total is None else total >> (64 if wide else 32) > 0)
    return True


def scaled_add(t, one):
    name, outs, operands = written(one.operands)
    carry = 0
    if "X" in one.mods:
        carry = t.predicate(operands.pop())
    elif is_predicate(operands[-1]):
        operands.pop()
    shift = int(operands.pop(), 16)
    a, (b, plus) = t.word(operands[0]), t.terms(operands[1])
    if "HI" in one.mods:
        above = t.word(operands[2]) if len(operands) > 2 else 0
        if "SX32" in one.mods and a is not None:
            above = MASK if a >> 31 else 0
        a = None if a is None or above is None else ((above << 32 | a) << shift >> 32) & MASK
    else:
        a = None if a is None else a << shift & MASK
    total = None if None in (a, b, carry) else a + b + plus + carry
    t.set(name, total)
    for out in outs:
        t.set_predicate(out, None if total is None else total >> 32 > 0)
    return True


def shift(t, one):
    name, low, by, high = (one.operands + ["RZ"])[:4]
    a, n, c = t.word(low), t.word(by), t.word(high)
    if None in (a, n, c):
        t.set(name, None)
        return True
    wide = "U64" in one.mods or "S64" in one.mods
    n = n % 32 if "W" in one.mods else min(n, 63 if wide else 32)
    both = c << 32 | a
    if "S64" in one.mods and c >> 31 or "S32" in one.mods and c >> 31:
        both -= 1 << 64
    if "L" in one.mods:
        value = both << n
        value = value >> 32 if "HI" in one.mods else value
    else:
        value = both >> n
        value = value >> 32 if "HI" in one.mods and not ("W" in one.mods) else value
        if "HI" in one.mods and "W" in one.mods:
            value = both >> n >> 32
    t.set(name, value)
    return True


def halves(t, one):
    """A constant that is moved as the sum of -0 * 0 and two halves."""
    if len(one.operands) != 5 or one.operands[1] != "-RZ" or one.operands[2] != "RZ":
        return False
    high, low = (struct.unpack("<H", struct.pack("<e", float(o)))[0] for o in one.operands[3:])
    t.set(one.operands[0], high << 16 | low)
    return True


def to_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def from_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


# Integers are divided by way of the reciprocal of a float, whose last bit is corrected afterwards.

def to_float(t, one):
    value = t.word(one.operands[1])
    if value is None or "F64" in one.mods or "U16" in one.mods:
        return False
    bits = to_bits(float(value if "U32" in one.mods else signed(value)))
    if "RP" in one.mods and from_bits(bits) < value:
        bits += 1
    t.set(one.operands[0], bits)
    return True


def reciprocal(t, one):
    bits = t.word(one.operands[1])
    if bits is None or "RCP" not in one.mods or not 0 < from_bits(bits) < 2.0**126:
        return False
    t.set(one.operands[0], to_bits(1 / from_bits(bits)))
    return True


def to_integer(t, one):
    bits = t.word(one.operands[1])
    if bits is None or "TRUNC" not in one.mods or not 0 <= from_bits(bits) < 2.0**32:
        return False
    t.set(one.operands[0], int(from_bits(bits)))
    return True
