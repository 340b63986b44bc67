# SPDX-License-Identifier: Apache-2.0
"""Instructions that move, compute, compare and choose words, over lanes. Each function takes all lanes, the
numbers of those that execute it, and the instruction. As arithmetic.py and choices.py, where all is known.
"""
import numpy as np

from lanes import F32, F64, U32, U64, operand_of, predicate_of

COMPARE = {"LT": np.less, "GT": np.greater, "LE": np.less_equal, "GE": np.greater_equal,
           "EQ": np.equal, "NE": np.not_equal}


def parted(operands):
    """Of what follows the destination: predicates that are written, operands, predicates that are read."""
    outs, ins, rest = [], [], list(operands[1:])
    while rest and predicate_of(rest[0]) and not rest[0].startswith("!"):
        outs.append(rest.pop(0))
    while rest and predicate_of(rest[-1]):
        ins.insert(0, rest.pop())
    return operands[0], outs, rest, ins


def full(at, value):
    return np.broadcast_to(value, at.shape)


def move(l, at, one):
    name, source = one.operands[:2]
    if "64" in one.mods:
        l.set_pair(name, at, full(at, l.pair(source, at)))
    else:
        l.set(name, at, full(at, l.word(source, at)))


def load_constant(l, at, one):
    name, source = one.operands[:2]
    width = 4 if "128" in one.mods else 2 if "64" in one.mods else 1
    _, _, _, kind, what = operand_of(source)
    if kind != "constant":
        raise NotImplementedError(one.text)
    bank, register, offset = what
    for i in range(width):
        small = next((m for m in one.mods if m in ("U8", "U16", "S8", "S16")), None)
        value = l._constant((bank, register, offset // 4 * 4 if small else offset), at, i)
        if small:
            value = value >> U32(8 * (offset % 4)) & U32(0xFF if small == "U8" else 0xFFFF)
        l.set(name, at, full(at, value), i)


def special(l, at, one):
    name, what = one.operands[:2]
    zero = np.zeros(len(at), U32)
    values = {"SR_TID.X": l.thread[at], "SR_CTAID.X": l.block[at], "SR_LANEID": l.lane[at],
              "SR_CgaCtaId": zero, "SR_TID.Y": zero, "SR_TID.Z": zero, "SR_CTAID.Y": zero,
              "SR_CTAID.Z": zero, "SRZ": zero,
              "SR_LTMASK": (U64(1) << l.lane[at].astype(U64)) - U64(1)}
    if what not in values and not what.startswith("SR_CLOCK"):
        raise NotImplementedError(one.text)
    value = values.get(what, zero)
    (l.set if one.base != "CS2R" or "32" in one.mods else l.set_pair)(name, at, value)


def add(l, at, one):
    name, outs, operands, ins = parted(one.operands)
    if "64" in one.mods:
        l.set_pair(name, at, full(at, sum((l.pair(o, at) for o in operands[1:]),
                                          l.pair(operands[0], at))))
        return
    total = np.zeros(len(at), np.int64)
    extended = "X" in one.mods
    for operand in operands:
        negated, inverted, _, kind, _ = operand_of(operand)
        if negated and kind != "integer":
            # ~x + 1, whose carry counts; in a high word the 1 comes from below.
            total += np.asarray(~l.bits(operand, at)).astype(np.int64) + (not extended)
        else:
            total += l.unsigned(operand, at)
    if extended:
        for carry in ins:
            total += l.predicate(carry, at)
    l.set(name, at, total)
    for i, out in enumerate(outs):
        l.set_predicate(out, at, total >> 32 > i)


def multiply_add(l, at, one):
    name, outs, operands, ins = parted(one.operands)
    wide, high = "WIDE" in one.mods, "HI" in one.mods
    if not (wide or high):
        total = l.unsigned(operands[0], at).astype(U64) * l.unsigned(operands[1], at).astype(U64)
        total = (total & U64(0xFFFFFFFF)).astype(np.int64)
        negated, _, _, kind, _ = operand_of(operands[2])
        if negated and "X" in one.mods and kind != "integer":
            total = total + np.asarray(~l.bits(operands[2], at)).astype(np.int64)
        else:
            total = total + l.unsigned(operands[2], at)
        if "X" in one.mods:
            total = total + l.predicate(ins[0], at)
        l.set(name, at, full(at, total))
        for out in outs:
            l.set_predicate(out, at, total >> 32 > 0)
        return
    read = l.unsigned if "U32" in one.mods else l.signed
    product = (read(operands[0], at) * read(operands[1], at)).view(U64)
    addend = l.pair(operands[2], at)
    total = product + addend
    for out in outs:
        l.set_predicate(out, at, total < addend)
    if "X" in one.mods:
        total = total + l.predicate(ins[0], at).astype(U64)
    if wide:
        l.set_pair(name, at, full(at, total))
    else:
        l.set(name, at, full(at, total >> U64(32)))


def scaled_add(l, at, one):
    name, outs, operands, ins = parted(one.operands)
    shift = U64(int(operands.pop(), 16))
    negated, _, _, _, _ = operand_of(operands[0])
    a = np.asarray(l.word(operands[0], at)).astype(U64)
    if "HI" in one.mods:
        above = np.asarray(l.word(operands[2], at)).astype(U64) if len(operands) > 2 else U64(0)
        if "SX32" in one.mods:
            above = np.where(a >> U64(31) > 0, U64(0xFFFFFFFF), U64(0))
        a = (above << U64(32) | a) << shift >> U64(32)
    else:
        a = a << shift
    total = (a & U64(0xFFFFFFFF)).astype(np.int64) + l.unsigned(operands[1], at)
    if "X" in one.mods:
        total = total + l.predicate(ins[-1], at)
    l.set(name, at, full(at, total))
    for out in outs:
        l.set_predicate(out, at, total >> 32 > 0)


def shift(l, at, one):
    name, low, by, high = (one.operands + ["RZ"])[:4]
    a = np.asarray(l.word(low, at)).astype(U64)
    c = np.asarray(l.word(high, at)).astype(U64)
    wide = "U64" in one.mods or "S64" in one.mods
    n = l.unsigned(by, at)
    n = n % 32 if "W" in one.mods else np.minimum(n, 63 if wide else 32)
    both = c << U64(32) | a
    if "L" in one.mods:
        value = both << n.astype(U64)
    elif "S64" in one.mods or "S32" in one.mods:
        value = (both.view(np.int64) >> n).view(U64)
    else:
        value = both >> n.astype(U64)
    l.set(name, at, full(at, value >> U64(32) if "HI" in one.mods else value))


def logic(l, at, one):
    operands = list(one.operands)
    out = operands.pop(0) if predicate_of(operands[0]) else None
    name = operands.pop(0)
    a, b, c = (l.word(o, at) for o in operands[:3])
    table = int(operands[3], 16)
    value = np.zeros(len(at), U32)
    for i in range(8):
        if table >> i & 1:
            value |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
    l.set(name, at, value)
    if out:
        also = l.predicate(operands[4], at) if len(operands) > 4 else False
        l.set_predicate(out, at, (value != 0) | also)


def predicate_logic(l, at, one):
    ins = [l.predicate(o, at) for o in one.operands[2:] if predicate_of(o)]
    tables = [int(o, 16) for o in one.operands[2:] if o.startswith("0x")]
    code = 4 * ins[0].astype(int) + 2 * ins[1].astype(int) + ins[2].astype(int)
    for name, table in zip(one.operands[:2], tables):
        l.set_predicate(name, at, (table >> code & 1).astype(bool))


def set_compared(l, at, one, result, out, other, ins):
    also = l.predicate(ins[0], at) if ins else True
    join = np.logical_or if "OR" in one.mods else (
        np.logical_xor if "XOR" in one.mods else np.logical_and)
    # Both may be read above.
    first, second = join(result, also), join(~result, also)
    l.set_predicate(out, at, first)
    l.set_predicate(other, at, second)


def compare(l, at, one):
    out, other, a, b, *ins = one.operands
    how = next((m for m in one.mods if m in COMPARE), None)
    if one.mods & {"U64", "S64", "64"}:
        x, y = l.pair(a, at), l.pair(b, at)
        if "U64" not in one.mods:
            x, y = x.view(np.int64), y.view(np.int64)
    else:
        read = l.unsigned if "U32" in one.mods else l.signed
        x, y = read(a, at), read(b, at)
    result = full(at, COMPARE[how](x, y))
    if "EX" in one.mods:
        below = l.predicate(ins[1], at)
        result = (result | below if how == "NE" else result & below if how == "EQ" else
                  np.where(x == y, below, result))
    set_compared(l, at, one, result, out, other, ins)


def select(l, at, one):
    name, a, b, which = one.operands[:4]
    chosen = l.predicate(which, at)
    if "64" in one.mods:
        l.set_pair(name, at, np.where(chosen, l.pair(a, at), l.pair(b, at)))
    elif one.base in ("FSEL", "UFSEL"):
        l.set(name, at, np.where(chosen, l.real(a, at).view(U32), l.real(b, at).view(U32)))
    else:
        l.set(name, at, np.where(chosen, l.word(a, at), l.word(b, at)))


def least_or_most(l, at, one):
    operands = list(one.operands)
    while operands[0] == "PT":  # what Blackwell could also write
        operands.pop(0)
    name, _, operands, ins = parted(operands)
    if "U64" in one.mods:
        pairs = [l.pair(o, at) for o in operands]
        l.set_pair(name, at, np.where(l.predicate(ins[0], at), np.minimum(*pairs),
                                      np.maximum(*pairs)))
        return
    real = "FMNMX" in one.base
    read = l.real if real else l.unsigned if "U32" in one.mods else l.signed
    values = [read(o, at) for o in operands]
    drops_nan = real and "NAN" not in one.mods
    least, most = (np.fmin, np.fmax) if drops_nan else (np.minimum, np.maximum)
    if one.base == "VIADDMNMX":
        total = (l.unsigned(operands[0], at) + l.unsigned(operands[1], at)) & 0xFFFFFFFF
        if "U32" not in one.mods:
            total = total.astype(U32).view(np.int32).astype(np.int64)
        values = [total, values[2]]
    which = l.predicate(ins[0], at)
    small, large = values[0], values[0]
    for value in values[1:]:
        small, large = least(small, value), most(large, value)
    chosen = np.where(which, small, large)
    if real:  # a NaN is the quiet one
        chosen = np.where(np.isnan(chosen), U32(0x7FFFFFFF).view(F32), chosen).astype(F32)
    l.set(name, at, chosen)


def permute(l, at, one):
    name, a, by, b = one.operands[:4]
    if one.mods:
        raise NotImplementedError(one.text)
    both = np.asarray(l.word(b, at)).astype(U64) << U64(32) | np.asarray(l.word(a, at)).astype(U64)
    selector, value = l.unsigned(by, at).astype(U64), np.zeros(len(at), U64)
    for i in range(4):
        nibble = selector >> U64(4 * i) & U64(15)
        byte = both >> U64(8) * (nibble & U64(7)) & U64(255)
        sign = np.where(byte >> U64(7) > 0, U64(255), U64(0))
        value = value | np.where(nibble & U64(8) > 0, sign, byte) << U64(8 * i)
    l.set(name, at, value)


def to_predicates(l, at, one):
    register, _, byte = one.operands[1].replace(".reuse", "").partition(".B")
    value, mask = l.word(register, at) >> U32(8 * int(byte or 0)), int(one.operands[2], 16)
    kind = "UP" if one.base == "R2UP" else "P"
    for i in range(7):
        if mask >> i & 1:
            l.set_predicate(f"{kind}{i}", at, full(at, value >> U32(i) & U32(1)).astype(bool))


def from_predicates(l, at, one):
    name, _, under, mask = one.operands[:4]
    mask, kind = int(mask, 16), "UP" if one.base == "UP2UR" else "P"
    value = full(at, l.word(under, at)) & U32(~mask & 0xFFFFFFFF)
    for i in range(7):
        if mask >> i & 1:
            value = value | l.predicate(f"{kind}{i}", at).astype(U32) << U32(i)
    l.set(name, at, value)


# Bits

def bit_length(x):
    return np.frexp(x.astype(F64))[1]


def highest(l, at, one):
    x = l.word(one.operands[-1], at)
    top = bit_length(np.asarray(x)) - 1
    value = np.where(np.asarray(x) == 0, 0xFFFFFFFF, 31 - top if "SH" in one.mods else top)
    l.set(one.operands[0], at, full(at, value.astype(np.int64)))


def population(l, at, one):
    x = np.ascontiguousarray(full(at, l.word(one.operands[1], at)))
    l.set(one.operands[0], at, np.unpackbits(x.view(np.uint8)).reshape(-1, 32).sum(1).astype(U32))


def reversed_bits(l, at, one):
    x = np.ascontiguousarray(full(at, l.word(one.operands[1], at)))
    bits = np.unpackbits(x.view(np.uint8).reshape(-1, 4)[:, ::-1], axis=1)[:, ::-1]
    l.set(one.operands[0], at,
          np.packbits(bits, axis=1)[:, ::-1].copy().view(U32).ravel())
