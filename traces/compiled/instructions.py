# SPDX-License-Identifier: Apache-2.0
"""Machine code as nvdisasm writes it."""
import re
import subprocess


class Instruction:
    __slots__ = ("address", "guard", "base", "mods", "operands", "target", "targets", "callee", "text")

    def __init__(self, address, guard, opcode, operands, text):
        self.address, self.guard, self.text = address, guard, text
        self.base, *mods = opcode.split(".")
        self.mods = frozenset(mods)
        self.operands = operands
        self.target, self.targets = None, ()
        self.callee = None  # index of a called function's first instruction


LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*"
                  r"(?:\(\*\"(?:BRANCH_TARGETS ([^\"]*)|[^\"]*)\"\*\))?;")
LABEL = re.compile(r"^(\.L_\w+|\$[\w$]+):")


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
            match = re.match(r"`\((\.L_\w+|\$[\w$]+)\)", operand)
            if match and match.group(1).startswith("$"):
                one.callee = labels.get(match.group(1))
            elif match:
                one.target = labels.get(match.group(1))
        # To a label, not to a function: Ampere's way out of a loop.
        if one.base == "CALL" and one.target is not None:
            one.base = "BRA"
        one.targets = tuple(labels[t.strip()] for t in one.targets if t.strip() in labels)
