# SPDX-License-Identifier: Apache-2.0
"""Instructions that combine bits, compare and choose, as in arithmetic.py."""
from thread import MASK, is_predicate, signed


def logic(t, one):
    operands = list(one.operands)
    out = operands.pop(0) if is_predicate(operands[0]) else None
    name = operands.pop(0)
    if is_predicate(operands[0]):
        out = operands.pop(0)
    a, b, c = (t.word(o) for o in operands[:3])
    table = int(operands[3], 16)
    value = 0
    for i in range(8):
        if table >> i & 1:
            term = MASK
            for operand, bit in ((a, 4), (b, 2), (c, 1)):
                if term == 0:
                    break
                if operand is None:
                    # Irrelevant where the table does not depend on it.
                    if all((table >> j & 1) == (table >> (j ^ bit) & 1) for j in range(8)):
                        continue
                    term = None
                    break
                term &= operand if i & bit else operand ^ MASK
            if term is None:
                value = None
                break
            value |= term
    if value is None and table == 0xC0 and 0 in (a, b):
        value = 0
    t.set(name, value)
    if out:
        t.set_predicate(out, None if value is None else value != 0)
    return True


def predicate_logic(t, one):
    operands = one.operands
    out, other = operands[0], operands[1]
    ins = [o for o in operands[2:] if is_predicate(o)]
    tables = [int(o, 16) for o in operands[2:] if o.startswith("0x")]
    values = [t.predicate(o) for o in ins[:3]]
    for name, table in zip((out, other), tables):
        found = set()
        for i in range(8):
            bits = (bool(i & 4), bool(i & 2), bool(i & 1))
            if all(v is None or v == bit for v, bit in zip(values, bits)):
                found.add(bool(table >> i & 1))
        t.set_predicate(name, found.pop() if len(found) == 1 else None)
    return True


COMPARE = {"LT": lambda a, b: a < b, "GT": lambda a, b: a > b, "LE": lambda a, b: a <= b,
           "GE": lambda a, b: a >= b, "EQ": lambda a, b: a == b, "NE": lambda a, b: a != b}


def compare(t, one):
    out, other, a, b, *ins = one.operands
    if "U64" in one.mods or "S64" in one.mods or "64" in one.mods:
        x, y = t.pair(a), t.pair(b)
    else:
        x, y = t.word(a), t.word(b)
        if None not in (x, y) and "U32" not in one.mods:
            x, y = signed(x), signed(y)
    how = next((m for m in one.mods if m in COMPARE), None)
    if how is None:
        return False
    below = t.predicate(ins[1]) if "EX" in one.mods and len(ins) > 1 else None
    if None in (x, y):
        result = None
    elif "EX" in one.mods:
        if how == "EQ":
            result = False if x != y else below
        elif how == "NE":
            result = True if x != y else below
        else:
            result = below if x == y else COMPARE[how](x, y)
    else:
        result = COMPARE[how](x, y)
    also = t.predicate(ins[0]) if ins else True
    if "OR" in one.mods:
        joined = True if also or result else None if None in (also, result) else False
    elif "XOR" in one.mods:
        joined = None if None in (also, result) else also != result
    else:
        joined = False if also is False or result is False else None if None in (
            also, result) else True
    t.set_predicate(out, joined)
    if other not in ("PT", "UPT"):
        t.set_predicate(other, None)
    return True


def select(t, one):
    name, a, b, which = one.operands[:4]
    chosen = t.predicate(which)
    x, y = t.word(a), t.word(b)
    t.set(name, (x if x == y else None) if chosen is None else x if chosen else y)
    return True


def least_or_most(t, one):
    name, *operands = one.operands
    while operands and operands[0] == "PT":  # what Blackwell could also write
        operands.pop(0)
    if len(operands) != 3 or not is_predicate(operands[2]):
        return False
    a, b, which = operands
    x, y, least = t.word(a), t.word(b), t.predicate(which)
    if None in (x, y, least):
        t.set(name, None)
        return True
    key = (lambda v: v) if "U32" in one.mods else signed
    t.set(name, (min if least else max)(x, y, key=key))
    return True


def permute(t, one):
    name, a, by, b = one.operands[:4]
    if one.mods:
        return False
    x, selector, y = t.word(a), t.word(by), t.word(b)
    if None in (x, selector, y):
        t.set(name, None)
        return True
    both, value = y << 32 | x, 0
    for i in range(4):
        nibble = selector >> 4 * i & 15
        byte = both >> 8 * (nibble & 7) & 255
        value |= ((255 if byte >> 7 else 0) if nibble & 8 else byte) << 8 * i
    t.set(name, value)
    return True


def to_predicates(t, one):
    value, mask = t.word(one.operands[1]), int(one.operands[2], 16)
    for i in range(7):
        if mask >> i & 1:
            t.predicates[f"P{i}"] = None if value is None else bool(value >> i & 1)
    return True
