# SPDX-License-Identifier: Apache-2.0
"""The instructions that a warp of a compiled kernel issues, found without running it.

Threads are followed through the machine code with what is known of their values: indices, the launch's
shape and parameters, and integer arithmetic on them. What is loaded is unknown, and so is all that
depends on it. Where a branch depends on that, the longer way is taken that calls nothing: a group is not
all zeros, and no division needs its slow path. A loop whose end depends on it runs once.

nvdisasm gives the text; the ELF file itself gives registers, shared memory and parameters.
"""
import functools
import re
import struct
import subprocess

MASK = 0xFFFFFFFF
CALL_COST = 10**6
MOST_STEPS = 400_000

# Registers, shared memory and parameters, from the sections of a cubin.
ATTRIBUTE_PARAMETER, ATTRIBUTE_BANK, ATTRIBUTE_REGISTERS = 0x17, 0x0A, 0x2F


def without_hashes(name):
    """As apps/calibrate/launches/runtime.hpp."""
    parts, at = [], 0
    for match in re.finditer(r"(\d+)(_GLOBAL__N_|_INTERNAL_)", name):
        if match.start() < at:
            continue
        # The digits may be preceded by others that belong to the same number.
        parts += [name[at:match.start()], "10_INTERNAL_"]
        at = match.end(1) + int(match.group(1))
    return "".join(parts) + name[at:]


class Cubin:
    """Of each kernel: registers, bytes of shared memory, parameters [(offset, size)], their bank's start."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.kernels = {}
        sections = self._sections(data)
        symbols = self._symbols(data, sections)
        for name, _, offset, size in sections:
            if name.startswith(".nv.info."):
                kernel = self.kernels.setdefault(name[9:], self._blank())
                for attribute, value in self._attributes(data, offset, size):
                    if attribute == ATTRIBUTE_PARAMETER:
                        _, ordinal, start, flags = struct.unpack("<IHHI", value)
                        kernel["parameters"][ordinal] = (start, flags >> 18)
                    elif attribute == ATTRIBUTE_BANK:
                        kernel["bank"] = struct.unpack("<IHH", value)[1]
            elif name.startswith(".nv.shared."):
                self.kernels.setdefault(name[11:], self._blank())["shared"] = size
        for name, _, offset, size in sections:
            if name != ".nv.info":
                continue
            for attribute, value in self._attributes(data, offset, size):
                if attribute == ATTRIBUTE_REGISTERS:
                    symbol, registers = struct.unpack("<II", value)
                    if symbols[symbol] in self.kernels:
                        self.kernels[symbols[symbol]]["registers"] = registers
        self.kernels = {name: one for name, one in self.kernels.items() if one["registers"]}

    @staticmethod
    def _blank():
        return {"registers": 0, "shared": 0, "parameters": {}, "bank": 0}

    @staticmethod
    def _sections(data):
        start, = struct.unpack_from("<Q", data, 0x28)
        entry, count, names = struct.unpack_from("<HHH", data, 0x3A)
        heads = [struct.unpack_from("<IIQQQQ", data, start + i * entry) for i in range(count)]
        text = heads[names][4]
        return [(data[text + head[0]:data.index(b"\0", text + head[0])].decode(), head[1], head[4],
                 head[5]) for head in heads]

    @staticmethod
    def _symbols(data, sections):
        table = next(one for one in sections if one[0] == ".symtab")
        text = next(one for one in sections if one[0] == ".strtab")[2]
        names = []
        for at in range(table[2], table[2] + table[3], 24):
            name = text + struct.unpack_from("<I", data, at)[0]
            names.append(data[name:data.index(b"\0", name)].decode())
        return names

    @staticmethod
    def _attributes(data, at, size):
        end = at + size
        while at < end:
            form, attribute, value = struct.unpack_from("<BBH", data, at)
            at += 4
            if form == 4:
                yield attribute, data[at:at + value]
                at += value


class Instruction:
    __slots__ = ("address", "guard", "base", "mods", "operands", "target", "targets", "text")

    def __init__(self, address, guard, opcode, operands, text):
        self.address, self.guard, self.text = address, guard, text
        self.base, *mods = opcode.split(".")
        self.mods = frozenset(mods)
        self.operands = operands
        self.target, self.targets = None, ()


LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;"
                  r"(?:.*BRANCH_TARGETS ([^\"]*)\")?")
CONSTANT = re.compile(r"c\[0x0\]\[(U?R(?:\d+|Z))?\+?(0x[0-9a-f]+)?\]$")
LABEL = re.compile(r"^(\.L_\w+):")


def split_operands(text):
    parts, depth, current = [], 0, ""
    for letter in text:
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
            continue
        depth += letter in "[(" 
        depth -= letter in "])"
        current += letter
    if current.strip():
        parts.append(current.strip())
    return parts


def read_kernels(nvdisasm, cubin):
    return kernels_in(
        subprocess.run([nvdisasm, "-c", cubin], check=True, capture_output=True, text=True).stdout)


def kernels_in(text):
    """{mangled name: [Instruction]} with targets as indices, of nvdisasm's text."""
    kernels, labels, code = {}, {}, None
    for line in text.splitlines():
        if line.startswith("\t.section\t.text."):
            finish(code, labels)
            name = line.split(".text.", 1)[1].split(",")[0].strip('"')
            code, labels = kernels.setdefault(name, []), {}
            continue
        label = LABEL.match(line)
        if label and code is not None:
            labels[label.group(1)] = len(code)
            continue
        match = LINE.match(line)
        if match and code is not None:
            address, guard, opcode, rest, targets = match.groups()
            one = Instruction(int(address, 16), guard, opcode, split_operands(rest), line.strip())
            if targets:
                one.targets = tuple(targets.split(","))
            code.append(one)
    finish(code, labels)
    return kernels


def finish(code, labels):
    if code is None:
        return
    for one in code:
        for operand in one.operands:
            match = re.match(r"`\((\.L_\w+)\)", operand)
            if match:
                one.target = labels.get(match.group(1))
        one.targets = tuple(labels[t.strip()] for t in one.targets if t.strip() in labels)


def longest_ways(code):
    """Of each instruction: how many follow on the longest way that repeats nothing; a call costs."""
    length = [0] * (len(code) + 1)
    for at in range(len(code) - 1, -1, -1):
        one = code[at]
        after = length[at + 1]
        if one.base in ("EXIT", "RET") and not one.guard:
            after = 0
        elif one.base == "CALL":
            after -= CALL_COST
        elif one.base == "BRA" and one.target is not None and not is_rare(one):
            way = length[one.target] if one.target > at else None
            conditional = one.guard or len(one.operands) > 1
            if way is not None:
                after = max(after, way) if conditional else way
            elif not conditional:
                after = 0
        elif one.base == "BRX":
            after = max([length[t] for t in one.targets if t > at], default=0)
        length[at] = after + 1
    return length


def is_rare(one):
    return "DIV" in one.mods or "CONV" in one.mods


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

    # Instructions

    def forget(self, one):
        """All that an instruction may write is unknown."""
        for operand in one.operands[:2]:
            if re.match(r"U?P\d", operand):
                self.predicates[operand] = None
        if one.base in ("STG", "STS", "STL", "ST", "RED", "BAR", "REDG"):
            return
        for operand in one.operands[:3]:
            match = re.match(r"(U?R)(\d+)$", operand)
            if match:
                width = 4 if "128" in one.mods else 2 if "64" in one.mods else 1
                if one.base in ("DADD", "DMUL", "DFMA", "FFMA2", "FADD2", "FMUL2") or "WIDE" in one.mods:
                    width = 2
                for i in range(width):
                    self.registers[match.group(1) + str(int(match.group(2)) + i)] = None
                return
            if not re.match(r"U?P", operand):
                return

    def execute(self, one):
        run = EXECUTE.get(one.base)
        if run is None or not run(self, one):
            self.forget(one)


@functools.lru_cache(maxsize=None)
def is_predicate(text):
    return re.match(r"!?U?P(\d|T)$", text) is not None


def signed(value):
    return value - (1 << 32) if value >> 31 else value


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


def multiply_add(t, one):
    operands = list(one.operands)
    name = operands.pop(0)
    outs = []
    while operands and is_predicate(operands[0]):
        outs.append(operands.pop(0))
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
    c = t.pair(operands[2]) if wide else t.word(operands[2])
    total = None if product is None or c is None else (product >> 32 if high else product) + c
    if total is not None and "X" in one.mods:
        carry = t.predicate(ins[0]) if ins else None
        total = None if carry is None else total + carry
    (t.set_pair if wide else t.set)(name, total)
    for out in outs:
        t.set_predicate(out, None if total is None else total >> (64 if wide else 32) > 0)
    return True


def scaled_add(t, one):
    operands = list(one.operands)
    name = operands.pop(0)
    outs = []
    while operands and is_predicate(operands[0]):
        outs.append(operands.pop(0))
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
    if len(one.operands) != 4 or not is_predicate(one.operands[3]):
        return False
    name, a, b, which = one.operands
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


def halves(t, one):
    """A constant that is moved as the sum of -0 * 0 and two halves."""
    if len(one.operands) != 5 or one.operands[1] != "-RZ" or one.operands[2] != "RZ":
        return False
    high, low = (struct.unpack("<H", struct.pack("<e", float(o)))[0] for o in one.operands[3:])
    t.set(one.operands[0], high << 16 | low)
    return True


EXECUTE = {"HFMA2": halves, "MOV": move, "UMOV": move, "R2UR": move, "LDC": load_constant, "ULDC": load_constant,
           "LDCU": load_constant, "S2R": special, "S2UR": special, "CS2R": clock_or_zero,
           "CS2UR": clock_or_zero, "IADD3": add, "UIADD3": add, "VIADD": add, "IADD": add,
           "UIADD": add, "UVIADD": add, "IMAD": multiply_add, "UIMAD": multiply_add,
           "LEA": scaled_add, "ULEA": scaled_add, "SHF": shift, "USHF": shift, "LOP3": logic,
           "ULOP3": logic, "PLOP3": predicate_logic, "UPLOP3": predicate_logic, "ISETP": compare,
           "UISETP": compare, "SEL": select, "USEL": select, "VIMNMX": least_or_most,
           "IMNMX": least_or_most, "UIMNMX": least_or_most, "UVIMNMX": least_or_most,
           "PRMT": permute, "UPRMT": permute, "R2P": to_predicates}


def condition(thread, one):
    """Whether a branch is taken, or None; predicates may stand before it or among its operands."""
    known = [thread.predicate(p) for p in [one.guard] * bool(one.guard) +
             [o for o in one.operands if is_predicate(o)]]
    return False if False in known else None if None in known else True


ADDRESS = re.compile(r"\[(R\d+)[^\[\]]*\]$")


def looks_up(thread, one):
    """Whether a load's address depends on what was loaded: lanes then read from anywhere."""
    if one.base not in ("LDG", "LD"):
        return False
    address = ADDRESS.search(one.operands[-1])
    return address is not None and thread.raw(address.group(1)) is None


def follow(code, length, thread):
    """How often the thread executes each instruction, the branches whose ways it did not know, and the
    loads whose addresses."""
    counts, met, lookups = [0] * len(code), set(), set()
    at = steps = 0
    while at < len(code):
        one = code[at]
        steps += 1
        if steps > MOST_STEPS:
            raise RuntimeError(f"a thread does not end: {one.text}")
        counts[at] += 1
        at += 1
        if one.base == "EXIT" and condition(thread, one) or one.base in ("RET", "BPT"):
            break
        if one.base == "BRA" and one.target is not None and not is_rare(one):
            taken = condition(thread, one)
            if taken is None:
                met.add(at - 1)
                # A loop that may end does.
                taken = one.target >= at and length[one.target] > length[at]
            at = one.target if taken else at
        elif one.base == "BRX" and one.targets:
            met.add(at - 1)
            at = max(one.targets, key=lambda target: length[target])
        elif one.base not in ("EXIT", "BRA", "BRX"):
            if looks_up(thread, one):
                lookups.add(at - 1)
            guard = thread.predicate(one.guard) if one.guard else True
            if guard:
                thread.execute(one)
            elif guard is None:
                thread.forget(one)
    return counts, met, lookups
