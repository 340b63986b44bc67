# SPDX-License-Identifier: Apache-2.0
"""Runs a kernel's machine code on given memory, for all threads of a grid, and counts what it issues.

A warp's lanes that are at the lowest address go on, as one instruction; the others wait for them, and at
barriers for those that they converge with. For kernels whose ways depend on values.
"""
import re

import numpy as np

import lanes
from accesses import atomic, load, store, width_of
from integers import (add, compare, from_predicates, full, highest, least_or_most, load_constant, logic,
                      move, multiply_add, permute, population, predicate_logic, reversed_bits,
                      scaled_add, select, shift, special, to_predicates)
from lanes import U32, WARP
from reals import (arithmetic, check_division, compare_reals, converted, halves, packed, products, rounded,
                   special_function, to_integer, to_real)
from warps import reduce_warp, shuffle, vote

RUNS, AT_BLOCK, AT_WARP, ENDED = range(4)
ALL_LANES = 0xFFFFFFFF
MOST_TURNS = 3_000_000
NOTED_VISITS = 3  # of an instruction, after which it is known whether its address was loaded
FAR = np.iinfo(np.int32).max

# By the first parts of names.
EXECUTE = {name: run for names, run in (
    ("MOV UMOV R2UR", move), ("LDC ULDC LDCU", load_constant), ("S2R S2UR CS2R CS2UR", special),
    ("IADD3 UIADD3 VIADD UVIADD IADD UIADD", add), ("IMAD UIMAD", multiply_add),
    ("LEA ULEA", scaled_add), ("SHF USHF", shift), ("LOP3 ULOP3", logic),
    ("PLOP3 UPLOP3", predicate_logic), ("ISETP UISETP", compare), ("FSETP DSETP UFSETP", compare_reals),
    ("SEL USEL FSEL UFSEL", select), ("PRMT UPRMT", permute), ("R2P R2UP", to_predicates),
    ("P2R UP2UR", from_predicates), ("FMNMX FMNMX3 UFMNMX IMNMX VIMNMX VIMNMX3 UVIMNMX UIMNMX VIADDMNMX",
                               least_or_most),
    ("FADD FMUL FFMA UFADD UFMUL UFFMA DADD DMUL DFMA", arithmetic), ("FMUL2", products),
    ("HFMA2 HADD2", halves),
    ("MUFU", special_function), ("FCHK", check_division), ("I2F I2FP UI2F UI2FP", to_real),
    ("F2I", to_integer), ("F2F", converted), ("F2FP", packed), ("FRND", rounded),
    ("FLO UFLO", highest), ("POPC UPOPC", population), ("BREV UBREV", reversed_bits),
    ("REDUX CREDUX", reduce_warp), ("VOTE VOTEU", vote), ("SHFL", shuffle),
    ("LDG LDS LDL LD", load), ("STG STS STL ST", store), ("RED REDG ATOMS ATOMG ATOM", atomic))
    for name in names.split()}
NOTHING = frozenset("NOP YIELD DEPBAR MEMBAR ERRBAR CCTL ENDCOLLECTIVE NANOSLEEP".split())


LOADS = frozenset("LDG LDS LDL LD ATOMS ATOMG ATOM".split())
NAME = re.compile(r"\bU?[RP]\d+\b")
DOUBLES = frozenset("DADD DMUL DFMA".split())


def parted_names(one):
    """Names of the registers and predicates that an instruction writes, and of those that it reads."""
    operands, outs = list(one.operands), []
    while operands and lanes.predicate_of(operands[0]) and not operands[0].startswith("!"):
        outs.append(operands.pop(0))
    if operands and lanes.REGISTER.match(operands[0]) and one.base not in (
            "ISETP", "UISETP", "FSETP", "UFSETP", "DSETP", "FCHK"):
        words = max(1, width_of(one) // 4) if one.base[:2] == "LD" else 2 if (
            "WIDE" in one.mods or "64" in one.mods or one.base in DOUBLES) else 1
        names = [operands.pop(0) for _ in range(2 if one.base[:2] == "LD" and words > 4 else 1)]
        for kind, number, _ in (lanes.REGISTER.match(name).groups() for name in names):
            if number != "Z":
                outs += [f"{kind}R{int(number) + i}" for i in range(words // len(names))]
    # A descriptor is no address.
    ins = NAME.findall(re.sub(r"desc\[\w+\]", "", " ".join(operands + [one.guard or ""])))
    return outs, ins


class Grid:
    """`threads`: of a block; the other lanes of its last warp are none."""

    def __init__(self, code, lanes_of_grid, threads):
        self.code, self.l = code, lanes_of_grid
        n = lanes_of_grid.count
        self.pc, self.state = np.zeros(n, np.int32), np.zeros(n, np.int8)
        self.state[lanes_of_grid.thread >= threads] = ENDED
        self.masks = np.zeros((16, n), U32)  # of the convergence barriers
        self.waits_for = np.zeros(n, U32)    # mask of lanes
        self.token = np.zeros(n, np.int32)   # which barrier
        self.result = np.zeros(n, bool)      # of a barrier that reduces
        self.place = {one.address: i for i, one in enumerate(code)}
        self.counts = np.zeros((len(code), lanes_of_grid.blocks), np.int64)
        self.issued = np.zeros(n // WARP, np.int64)  # by each warp
        self.visits = [0] * len(code)
        self.loaded = set()                  # registers whose values depend on what was loaded
        self.lookups = set()

    def run(self):
        for _ in range(MOST_TURNS):
            at_each = np.where(self.state == RUNS, self.pc, FAR)
            lowest = int(at_each.min())
            if lowest == FAR:
                if (self.state == ENDED).all():
                    return
                raise RuntimeError("threads wait for others that do not come")
            at = np.flatnonzero(at_each == lowest)
            at_each[at] = FAR
            self.go_on(lowest, at, int(at_each.min()))
        raise RuntimeError("a grid does not end")

    def go_on(self, number, at, others):
        """Until an instruction that branches or waits, or that others are at."""
        warps = np.unique(self.l.warp_start[at])
        blocks = np.bincount(self.l.block[warps], minlength=self.l.blocks)
        while True:
            one = self.code[number]
            self.counts[number] += blocks
            self.issued[warps // WARP] += 1
            control = CONTROL.get(one.base)
            number += 1
            if control:
                self.pc[at] = number
            guarded = at[self.l.predicate(one.guard, at)] if one.guard else at
            if len(guarded) > 0 and one.base not in NOTHING:
                if control:
                    control(self, guarded, one)
                else:
                    self.execute(number - 1, guarded, one)
            if control:
                return
            if number == others:
                self.pc[at] = number
                return

    def execute(self, number, at, one):
        execute = EXECUTE.get(one.base)
        if execute is None:
            raise NotImplementedError(one.text)
        self.visits[number] += 1
        if self.visits[number] <= NOTED_VISITS:
            self.note_loads(number, one)
        execute(self.l, at, one)

    def note_loads(self, number, one):
        """Whether a load's address was loaded: a lookup. What is computed from what was loaded counts."""
        if one.base in ("STG", "STS", "STL", "RED", "REDG"):
            return
        outs, ins = parted_names(one)
        depends = not self.loaded.isdisjoint(ins)
        if depends and one.base in ("LDG", "LD"):
            self.lookups.add(number)
        change = self.loaded.update if depends or one.base in LOADS else self.loaded.difference_update
        change(outs)

    # Branches

    def branch(self, at, one):
        taken = np.ones(len(at), bool)
        if one.mods & {"DIV", "CONV"}:
            mask = full(at, self.l.word(one.operands[0], at))
            whole = self.active(at) == mask
            taken = ~whole if "DIV" in one.mods else whole
        for operand in one.operands:
            if lanes.predicate_of(operand):
                taken &= self.l.predicate(operand, at)
        if one.target is None:
            raise NotImplementedError(one.text)
        self.pc[at[taken]] = one.target

    def active(self, at):
        """The mask of the lanes in `at`, for each of them."""
        first = np.flatnonzero(np.diff(self.l.warp_start[at], prepend=-1))
        bits = np.bitwise_or.reduceat(U32(1) << self.l.lane[at].astype(U32), first)
        return np.repeat(bits, np.diff(np.append(first, len(at))))

    def jump(self, at, one):
        register, offset = one.operands[0].split()[:2]
        start = one.address + 16 + int(offset, 16)
        self.go_to(at, self.l.signed(register, at) + start)

    def go_to(self, at, addresses):
        for address in np.unique(addresses):
            self.pc[at[full(at, addresses) == address]] = self.place[int(address)]

    def call(self, at, one):
        if one.callee is None:
            raise NotImplementedError(one.text)
        self.pc[at] = one.callee

    def come_back(self, at, one):
        self.go_to(at, self.l.unsigned(one.operands[0].split()[0], at))

    def end(self, at, one):
        keep = np.ones(len(at), bool)
        for operand in one.operands:
            keep &= self.l.predicate(operand, at)
        self.state[at[keep]] = ENDED
        self.release_warps(at)
        self.release_blocks(at)

    # Barriers

    def wait_for_block(self, at, one):
        if "ARV" in one.mods or (one.operands and one.operands[0] != "0x0"):
            raise NotImplementedError(one.text)
        self.state[at] = AT_BLOCK
        if "RED" in one.mods:
            self.result[at] = self.l.predicate(one.operands[-1], at)
            self.reduction = "OR" if "OR" in one.mods else "AND"
        else:
            self.reduction = None
        self.release_blocks(at)

    def release_blocks(self, at):
        shape = (self.l.blocks, self.l.threads)
        waits = (self.state == AT_BLOCK).reshape(shape)
        done = np.flatnonzero((waits | (self.state == ENDED).reshape(shape)).all(1) & waits.any(1))
        if len(done) == 0:
            return
        if self.reduction:
            part = self.result.reshape(shape)[done] & waits[done]
            self.result.reshape(shape)[done] = part.any(1)[:, None]
        states = self.state.reshape(shape)
        states[done] = np.where(states[done] == AT_BLOCK, RUNS, states[done])

    def barrier_result(self, at, one):
        self.l.set_predicate(one.operands[-1], at, self.result[at])

    def set_barrier(self, at, one):
        self.masks[int(one.operands[0][1:]), at] = self.active(at)

    def leave_barrier(self, at, one):
        number = int(one.operands[-1][1:])
        gone = self.active(at)
        for start, bits in {(int(s), int(b)) for s, b in zip(self.l.warp_start[at], gone)}:
            warp = slice(start, start + WARP)
            self.masks[number, warp] &= U32(ALL_LANES ^ bits)
            mine = (self.state[warp] == AT_WARP) & (self.token[warp] == number)
            self.waits_for[warp] = np.where(mine, self.waits_for[warp] & U32(ALL_LANES ^ bits),
                                            self.waits_for[warp])
        self.release_warps(at)

    def converge(self, at, one):
        number = int(one.operands[-1][1:])
        self.wait_for_warp(at, self.masks[number, at], number)

    def converge_all(self, at, one):
        named = [o for o in one.operands if not o.startswith("`")]
        mask = U32(ALL_LANES) if "ALL" in one.mods or not named else self.l.word(named[0], at)
        self.wait_for_warp(at, full(at, mask), -1)

    def wait_for_warp(self, at, mask, token):
        self.state[at], self.waits_for[at], self.token[at] = AT_WARP, mask, token
        self.release_warps(at)

    def release_warps(self, at):
        starts = np.unique(self.l.warp_start[at])
        rows = starts[:, None] + np.arange(WARP)
        bits = U32(1) << np.arange(WARP, dtype=U32)
        state, token = self.state[rows], self.token[rows]
        ended = np.where(state == ENDED, bits, U32(0)).sum(1, dtype=np.uint64).astype(U32)
        for number in np.unique(token[state == AT_WARP]):
            here = (state == AT_WARP) & (token == number)
            come = np.where(here, bits, U32(0)).sum(1, dtype=np.uint64).astype(U32) | ended
            free = here & ((self.waits_for[rows] & ~come[:, None]) == 0)
            self.state[rows[free]] = RUNS


CONTROL = {"BRA": Grid.branch, "BRX": Grid.jump, "BRXU": Grid.jump, "CALL": Grid.call,
           "RET": Grid.come_back, "EXIT": Grid.end, "BAR": Grid.wait_for_block,
           "B2R": Grid.barrier_result, "BSSY": Grid.set_barrier, "BREAK": Grid.leave_barrier,
           "BSYNC": Grid.converge, "WARPSYNC": Grid.converge_all}
