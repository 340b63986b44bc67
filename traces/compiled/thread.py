# SPDX-License-Identifier: Apache-2.0
"""What is known of one thread's registers and predicates, and how operands are read."""
import functools
import re

MASK = 0xFFFFFFFF
CONSTANT = re.compile(r"c\[0x0\]\[(U?R(?:\d+|Z))?\+?(0x[0-9a-f]+)?\]$")


@functools.lru_cache(maxsize=None)
def operand_of(text):
    """(kind, first word or its register, second, match of CONSTANT)."""
    text = text.replace(".reuse", "")
    if re.match(r"0x[0-9a-f]+$", text):
        return "number", int(text, 16) & MASK, int(text, 16) >> 32, None
    match = re.match(r"(U?R)(\d+|Z)(\.64)?$", text)
    if match and match.group(2) == "Z":
        return "number", 0, 0, None
    if match:
        return "register", match.group(1) + match.group(2), match.group(1) + str(
            int(match.group(2)) + 1), None
    return "constant", None, None, CONSTANT.match(text)


class Thread:
    """What is known of one thread's registers and predicates."""

    def __init__(self, place, constants):
        self.place, self.constants = place, constants
        self.registers, self.predicates = {}, {}

    # Operands

    def predicate(self, text):
        negated = text.startswith("!")
        name = text.lstrip("!")
        value = True if name in ("PT", "UPT") else self.predicates.get(name)
        return value if value is None or not negated else not value

    def set_predicate(self, name, value):
        if name not in ("PT", "UPT"):
            self.predicates[name] = value

    def offset(self, match):
        """In the bank, of a match of CONSTANT: a register's value and a number."""
        register, number = match.groups()
        start = self.raw(register) if register else 0
        return None if start is None else start + int(number or "0", 16)

    def raw(self, text, high=False):
        """The word without its sign; `high`: the second of a pair."""
        kind, low, above, match = operand_of(text)
        if kind == "number":
            return above if high else low
        if kind == "register":
            return self.registers.get(above if high else low)
        at = self.offset(match) if match else None
        return None if at is None else self.constants(at + 4 * high)

    def terms(self, text):
        """(value, plus): a negated x is ~x + 1, whose carry counts."""
        if text.startswith("-"):
            if text[1:].startswith("0x"):
                return -int(text[1:], 16) & MASK, 0
            value = self.raw(text[1:])
            return (None, 0) if value is None else (value ^ MASK, 1)
        if text.startswith("~"):
            value = self.raw(text[1:])
            return (None, 0) if value is None else (value ^ MASK, 0)
        return self.raw(text), 0

    def word(self, text):
        value, plus = self.terms(text)
        return None if value is None else (value + plus) & MASK

    def pair(self, text):
        if text.startswith("-"):
            value = self.pair(text[1:])
            return None if value is None else -value & (1 << 64) - 1
        low, high = self.raw(text), self.raw(text, True)
        return None if low is None or high is None else high << 32 | low

    def set(self, name, value):
        if name in ("RZ", "URZ"):
            return
        self.registers[name] = None if value is None else value & MASK

    def set_pair(self, name, value):
        if name in ("RZ", "URZ"):
            return
        kind, number = re.match(r"(U?R)(\d+)", name).groups()
        self.set(name, value)
        self.set(kind + str(int(number) + 1), None if value is None else value >> 32)

    def forget(self, one):
        """All that an instruction may write is unknown."""
        for operand in one.operands[:2]:
            if re.match(r"U?P\d", operand):
                self.predicates[operand] = None
        if one.base in ("STG", "STS", "STL", "ST", "RED", "BAR", "REDG"):
            return
        names = 2 if "256" in one.mods else 1
        for operand in one.operands[:3]:
            match = re.match(r"(U?R)(\d+)$", operand)
            if match:
                width = 4 if one.mods & {"128", "256"} else 2 if "64" in one.mods else 1
                if one.base in ("DADD", "DMUL", "DFMA", "FFMA2", "FADD2", "FMUL2") or "WIDE" in one.mods:
                    width = 2
                for i in range(width):
                    self.registers[match.group(1) + str(int(match.group(2)) + i)] = None
                names -= 1
                if names == 0:
                    return
                continue
            if not re.match(r"U?P", operand):
                return



@functools.lru_cache(maxsize=None)
def is_predicate(text):
    return re.match(r"!?U?P(\d|T)$", text) is not None


def signed(value):
    return value - (1 << 32) if value >> 31 else value
