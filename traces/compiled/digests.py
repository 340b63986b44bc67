# SPDX-License-Identifier: Apache-2.0
"""Digests of all that the counts of a row follow from: the machine code of its kernels, their registers and
constants, and its launches. A row whose digest is the table's need not be counted again.

Neither names nor places matter: labels and kernels are numbered by file, and device memory lies elsewhere in
each run."""
import hashlib
import json
import re

from accesses import width_of

# Of the scripts that follow and run code: raise it where they count something else in the same code.
COUNTING = 1

DIGITS = 12
# What depends on the rest of a file: addresses in the text, labels, functions, mangled names.
NAMES = re.compile(r"/\*[0-9a-f]+\*/|\(\*.*?\*\)|\.L_\w+|\$[\w$]+|_Z[\w$]+")
# The upper 32 bits of addresses where Linux puts memory on x86-64, and programs. Those of programs are left
# over in padding, where the lowest byte may be a member's.
UPPER_BITS = (range(0x7000, 0x8000), range(0x5500, 0x5700))
ALIGNMENT = 256
# Of the bank that holds parameters.
CONSTANT = re.compile(r"c\[0x0\]\[(?:(0x[0-9a-f]+)|.*)\]")


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:DIGITS]


def constants_read(code):
    """Where code may read the bank that holds parameters; None: anywhere. Between the members of a parameter,
    padding holds whatever was in the host's memory; wide loads read it, too."""
    read = set()
    for one in code:
        for operand in one.operands:
            match = CONSTANT.search(operand)
            if not match:
                continue
            if not match.group(1):
                return None
            size = width_of(one)
            if one.base[0] == "D" or "WIDE" in one.mods and operand is one.operands[-1]:
                size = 8
            read.update(range(int(match.group(1), 16), int(match.group(1), 16) + size))
    return read


class Code:
    """Of a kernel. `variables`: those of its file, as they begin."""

    def __init__(self, code, facts, variables):
        lines = [(NAMES.sub("", one.text), one.target, one.targets, one.callee) for one in code]
        parameters = sorted(facts["parameters"].items())
        self.followed = digest([lines, facts["registers"], facts["shared"], facts["bank"],
                                facts["jumps"].hex(), parameters])
        self.run = digest([self.followed, variables.hex()])
        self.starts = [facts["bank"] + start for _, (start, _) in parameters]
        self.read = constants_read(code)

    def reads(self, parameter, at):
        return self.read is None or self.starts[parameter] + at in self.read


class Places:
    """Device memory as a row sees it. `memory`: [(address, bytes)] of all allocations, where known.
    `contents`: what stands for the values that lie at an address."""

    def __init__(self, memory=(), contents=None):
        self.memory, self.contents, self.seen = memory, contents or {}, []

    def place(self, address):
        """How it is aligned; in known memory how far into it, which one it is in the order of their first use,
        and its contents."""
        for start, size in self.memory:
            if start <= address < start + size:
                if start not in self.seen:
                    self.seen.append(start)
                return [address - start, self.seen.index(start), self.contents.get(start)]
        return [address % ALIGNMENT]

    def word(self, content, read):
        """Eight bytes of a parameter; `read`: which of them the code reads."""
        upper = int.from_bytes(content[4:], "little")
        if len(content) < 8 or not any(upper in one for one in UPPER_BITS):
            return [byte if is_read else None for byte, is_read in zip(content, read)]
        if all(read):
            return self.place(int.from_bytes(content, "little"))
        return content[0] if any(read) else None

    def words(self, code, parameter, content):
        return [self.word(content[at:at + 8], [code.reads(parameter, at + i) for i in range(8)])
                for at in range(0, len(content), 8)]

    def launch(self, launch, code):
        if code is None:  # a copy or a fill
            ends = [self.place(launch[end]) for end in ("to", "from") if end in launch]
            return [launch["kernel"], launch["bytes"], launch["value"], ends]
        return [launch["blocks"], launch["threads"],
                [self.words(code, i, bytes.fromhex(one)) for i, one in enumerate(launch["parameters"])]]


def of_row(record, run, contents, code_of):
    """`run`: the record of the same row with few elements, or None. `contents`: digests of the values in
    device memory, by address. `code_of`: the Code of a launch; None of a copy or a fill."""
    def parts_of(launches, places, running):
        codes = [(one, code_of(one)) for one in launches]
        return [[code and (code.run if running else code.followed), places.launch(one, code)]
                for one, code in codes]
    parts = [COUNTING, record["elements"], parts_of(record["launches"], Places(), False)]
    if run:
        places = Places(run["memory"], contents)
        parts += [parts_of(run["prepare"], places, True), parts_of(run["run"], places, True)]
        output = run.get("output")  # is compared
        parts.append(output and [places.place(output[0]), output[1]])
    return digest(parts)
