# SPDX-License-Identifier: Apache-2.0
"""Instructions on floating-point numbers, over lanes, as in integers.py."""
import numpy as np

from integers import COMPARE, full, set_compared
from lanes import F32, F64, U32, U64, operand_of, predicate_of


def compare_reals(l, at, one):
    read = l.double if one.base == "DSETP" else l.real
    out, other, a, b, *ins = one.operands
    x, y = read(a, at), read(b, at)
    unordered = np.isnan(x) | np.isnan(y)
    how = next(m for m in one.mods if m.rstrip("U") in COMPARE or m in ("NAN", "NUM", "MAX", "MIN"))
    if how in ("NAN", "NUM"):
        result = unordered if how == "NAN" else ~unordered
    elif how in ("MAX", "MIN"):
        # Which of both it is; and whether it is a NaN, which then stays the second.
        l.set_predicate(out, at, full(at, x > y if how == "MAX" else x < y))
        l.set_predicate(other, at, full(at, np.isnan(y)))
        return
    else:
        result = COMPARE[how.rstrip("U")](x, y)
        result = result | unordered if how.endswith("U") else result & ~unordered
    set_compared(l, at, one, full(at, result), out, other, ins)


def arithmetic(l, at, one):
    """Sums, products and both, rounded once: float32 by way of float64, of which a rare sum is rounded
    twice."""
    name, *operands = one.operands
    operands = [o for o in operands if not predicate_of(o)]
    if one.base[0] == "D":
        values = [np.asarray(l.double(o, at)).astype(np.longdouble) for o in operands]
    else:
        values = [np.asarray(l.real(o, at)).astype(F64) for o in operands]
    operation = one.base.lstrip("UDFH")[:3]
    with np.errstate(all="ignore"):
        result = (values[0] + values[1] if operation == "ADD" else
                  values[0] * values[1] if operation == "MUL" else
                  values[0] * values[1] + values[2])
        if "SAT" in one.mods:  # NaNs become zeros
            result = np.where(result > 0, np.minimum(result, 1), 0)
        if one.base[0] == "D":
            l.set_pair(name, at, full(at, result).astype(F64))
        else:
            l.set(name, at, full(at, result).astype(F32))


PAIR, SAME = ".F32x2.HI_LO", ".F32"


def products(l, at, one):
    """Of pairs of registers, or of one that stands for both."""
    name, *operands = (o.replace(".reuse", "") for o in one.operands)
    totals = [F64(1), F64(1)]
    for operand in operands:
        if not operand.endswith((PAIR, SAME)) or operand.startswith("-"):
            raise NotImplementedError(one.text)
        register = operand.removesuffix(PAIR).removesuffix(SAME)
        for i in range(2):
            bits = l.bits(register, at, i if operand.endswith(PAIR) else 0)
            value = np.asarray(bits).view(F32).astype(F64)
            totals[i] = totals[i] * (abs(value) if register.startswith("|") else value)
    with np.errstate(all="ignore"):
        for i in range(2):
            l.set(name, at, full(at, totals[i]).astype(F32), i)


def halves(l, at, one):
    """A constant that is moved as the sum of -0 * 0 and two halves; or a half made a float."""
    if "F32" in one.mods:
        return arithmetic(l, at, one)
    if one.operands[1] != "-RZ" or one.operands[2] != "RZ" or len(one.operands) != 5:
        raise NotImplementedError(one.text)
    high, low = (int(np.float16(operand_value(o)).view(np.uint16)) for o in one.operands[3:])
    l.set(one.operands[0], at, full(at, U32(high << 16 | low)))


def operand_value(text):
    negated, _, _, _, what = operand_of(text)
    return -what if negated else what


def special_function(l, at, one):
    name, source = one.operands[:2]
    with np.errstate(all="ignore"):
        if "RCP64H" in one.mods or "RSQ64H" in one.mods:
            x = (np.asarray(l.word(source, at)).astype(U64) << U64(32)).view(F64)
            value = 1 / x if "RCP64H" in one.mods else 1 / np.sqrt(x)
            l.set(name, at, full(at, value.view(U64) >> U64(32)))
            return
        x = np.asarray(l.real(source, at)).astype(F64)
        value = {"RCP": lambda: 1 / x, "RSQ": lambda: 1 / np.sqrt(x), "SQRT": lambda: np.sqrt(x),
                 "EX2": lambda: np.exp2(x), "LG2": lambda: np.log2(x)}[
                     next(m for m in one.mods if m in ("RCP", "RSQ", "SQRT", "EX2", "LG2"))]()
        l.set(name, at, full(at, value).astype(F32))


def check_division(l, at, one):
    """Whether a quotient needs its slow path: exponents near the ends."""
    out, a, b = one.operands[:3]
    x, y = (np.asarray(l.real(o, at)).view(U32) >> U32(23) & U32(255) for o in (a, b))
    x, y = x.astype(np.int64), y.astype(np.int64)
    far = (y < 3) | (y > 251) | (x > 252) | ((x < 26) & (full(at, l.real(a, at)) != 0)) | (
        abs(x - y) > 124) & (full(at, l.real(a, at)) != 0)
    l.set_predicate(out, at, full(at, far))


def to_real(l, at, one):
    name, source = one.operands[:2]
    if "U64" in one.mods:
        value = l.pair(source, at).astype(F64)
        exact = value
    elif one.mods & {"U32", "U16", "U8"}:
        exact = (l.unsigned(source, at) & (0xFFFF if "U16" in one.mods else 0xFF if "U8" in one.mods
                                           else 0xFFFFFFFF)).astype(F64)
    else:
        exact = l.signed(source, at).astype(F64)
    if "F64" in one.mods:
        l.set_pair(name, at, full(at, exact))
        return
    value = exact.astype(F32)
    if "RP" in one.mods:
        value = np.where(value < exact, np.nextafter(value, F32(np.inf)), value)
    elif "RZ" in one.mods:
        value = np.where(abs(value) > abs(exact), np.nextafter(value, F32(0)), value)
    l.set(name, at, full(at, value.astype(F32)))


def to_integer(l, at, one):
    name, source = one.operands[:2]
    x = np.asarray(l.double(source, at) if "F64" in one.mods else l.real(source, at)).astype(F64)
    with np.errstate(all="ignore"):
        x = np.nan_to_num(np.trunc(x) if "TRUNC" in one.mods else np.rint(x))
        if "U32" in one.mods:
            value = np.clip(x, 0, 2.0**32 - 1).astype(np.int64)
        elif "U64" in one.mods:
            l.set_pair(name, at, full(at, np.clip(x, 0, 2.0**63).astype(U64)))
            return
        else:
            value = np.clip(x, -2.0**31, 2.0**31 - 1).astype(np.int64)
    l.set(name, at, full(at, value))


def converted(l, at, one):
    name, source = one.operands[:2]
    with np.errstate(all="ignore"):
        if {"F32", "F64"} <= one.mods:
            to_double = one.text.split("F2F.")[1].startswith("F64")
            if to_double:
                l.set_pair(name, at, full(at, l.real(source, at)).astype(F64))
            else:
                l.set(name, at, full(at, l.double(source, at)).astype(F32))
            return
        value = full(at, l.real(source, at))
        bits = bf16_bits(value) if "BF16" in one.mods else value.astype(np.float16).view(np.uint16)
        l.set(name, at, bits.astype(U32))


def bf16_bits(value):
    bits = value.astype(F32).view(U32)
    return (bits + U32(0x7FFF) + (bits >> U32(16) & U32(1))) >> U32(16)


# Exponent and mantissa bits, and the largest code of a magnitude.
SMALL = {"E4M3": (4, 3, 0x7E), "E5M2": (5, 2, 0x7B), "E2M1": (2, 1, 7)}


def small_codes(kind, value):
    """To nearest even, saturated; of a NaN all bits of a magnitude."""
    exponent_bits, mantissa_bits, largest = SMALL[kind]
    least = 2 - 2**(exponent_bits - 1)
    magnitude = abs(value.astype(F64))
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.where(magnitude > 0, np.frexp(magnitude)[1] - 1, least), least)
        steps = np.rint(np.ldexp(magnitude, mantissa_bits - exponent))
        code = np.minimum((exponent - least) * 2.0**mantissa_bits + steps, largest)
    bits = exponent_bits + mantissa_bits
    code = np.where(np.isnan(value), 2.0**bits - 1, code).astype(U32)
    return code | np.signbit(value).astype(U32) << U32(bits)


def small_values(kind, codes):
    exponent_bits, mantissa_bits, largest = SMALL[kind]
    least = 2 - 2**(exponent_bits - 1)
    bits = exponent_bits + mantissa_bits
    magnitude = codes & U32(2**bits - 1)
    exponent = (magnitude >> U32(mantissa_bits)).astype(np.int64)
    mantissa = (magnitude & U32(2**mantissa_bits - 1)).astype(F64) + (exponent > 0) * 2.0**mantissa_bits
    value = np.ldexp(mantissa, np.maximum(exponent - 1, 0) + least - mantissa_bits)
    beyond = np.inf if kind == "E5M2" else np.nan
    value = np.where(magnitude > largest, np.where(magnitude == 0x7C, beyond, np.nan), value)
    return np.where(codes >> U32(bits) & U32(1) > 0, -value, value)


def packed(l, at, one):
    """Two floats as halves of a word, or as bytes or nibbles below another word; or such a pair as
    halves."""
    kind = next((m for m in one.mods if m in SMALL), None)
    if kind and "UNPACK_B" in one.mods:
        width = 1 + sum(SMALL[kind][:2])
        name, source = one.operands
        source, _, part = source.replace(".reuse", "").partition(".")
        unit = {"": 0, "H0": 0, "H1": 16, "B1": 8, "B2": 16, "B3": 24}[part]
        word = full(at, l.word(source, at)) >> U32(unit)
        pair = [word >> U32(shift) & U32(2**width - 1) for shift in (0, width)]
        bits = [small_values(kind, code).astype(np.float16).view(np.uint16).astype(U32) for code in pair]
        l.set(name, at, bits[0] | bits[1] << U32(16))
        return
    name, high, low = one.operands[:3]
    values = [full(at, l.real(o, at)) for o in (low, high)]
    if kind:
        width = 1 + sum(SMALL[kind][:2])
        codes = [small_codes(kind, v) for v in values]
        above = full(at, l.word(one.operands[3], at)) << U32(2 * width)
        l.set(name, at, above | codes[1] << U32(width) | codes[0])
        return
    if "BF16" in one.mods:
        bits = [bf16_bits(v) for v in values]
    else:
        bits = [v.astype(np.float16).view(np.uint16).astype(U32) for v in values]
    l.set(name, at, bits[0] | bits[1] << U32(16))


def rounded(l, at, one):
    x = full(at, l.real(one.operands[1], at))
    how = next((m for m in one.mods if m in ("FLOOR", "CEIL", "TRUNC")), None)
    l.set(one.operands[0], at, {None: np.rint, "FLOOR": np.floor, "CEIL": np.ceil,
                                "TRUNC": np.trunc}[how](x).astype(F32))
