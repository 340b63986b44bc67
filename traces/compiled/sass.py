# SPDX-License-Identifier: Apache-2.0
"""The instructions that a warp of a compiled kernel issues, found without running it.

Threads are followed through the machine code with what is known of their values: indices, the launch's
shape and parameters, and integer arithmetic on them. What is loaded is unknown, and so is all that
depends on it. Where a branch depends on that, the longer way is taken that calls nothing: a group is not
all zeros, and no division needs its slow path. A loop whose end depends on it runs once.
"""
import re

from arithmetic import (add, clock_or_zero, halves, load_constant, move, multiply_add, reciprocal,
                        scaled_add, shift, special, to_float, to_integer)
from choices import (compare, least_or_most, logic, permute, predicate_logic, select,
                     to_predicates)
from thread import is_predicate

CALL_COST = 10**6
MOST_STEPS = 4_000_000

# By the first parts of names; those of the uniform datapath do the same.
EXECUTE = {name: run for names, run in (
    ("MOV UMOV R2UR", move), ("LDC ULDC LDCU", load_constant), ("S2R S2UR", special),
    ("CS2R CS2UR", clock_or_zero), ("HFMA2", halves),
    ("IADD3 UIADD3 VIADD UVIADD IADD UIADD", add), ("IMAD UIMAD", multiply_add),
    ("LEA ULEA", scaled_add), ("SHF USHF", shift), ("I2F", to_float), ("MUFU", reciprocal),
    ("F2I", to_integer), ("LOP3 ULOP3", logic), ("PLOP3 UPLOP3", predicate_logic),
    ("ISETP UISETP", compare), ("SEL USEL", select),
    ("VIMNMX UVIMNMX IMNMX UIMNMX", least_or_most), ("PRMT UPRMT", permute),
    ("R2P", to_predicates)) for name in names.split()}


def execute(thread, one):
    """What is known of the registers afterwards."""
    run = EXECUTE.get(one.base)
    if run is None or not run(thread, one):
        thread.forget(one)


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
        elif one.base in ("BRX", "BRXU"):
            after = max([length[t] for t in one.targets if t > at], default=0)
        length[at] = after + 1
    return length


def is_rare(one):
    return "DIV" in one.mods or "CONV" in one.mods


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
        elif one.base in ("BRX", "BRXU") and one.targets:
            met.add(at - 1)
            at = max(one.targets, key=lambda target: length[target])
        elif one.base not in ("EXIT", "BRA", "BRX", "BRXU"):
            if looks_up(thread, one):
                lookups.add(at - 1)
            guard = thread.predicate(one.guard) if one.guard else True
            if guard:
                execute(thread, one)
            elif guard is None:
                thread.forget(one)
    return counts, met, lookups
