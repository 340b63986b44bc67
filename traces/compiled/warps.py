# SPDX-License-Identifier: Apache-2.0
"""Instructions by which the lanes of a warp exchange values, as in integers.py."""
import numpy as np

from integers import full
from lanes import U32, WARP, predicate_of


def warps_of(l, at):
    """Where each warp begins in `at`."""
    return np.flatnonzero(np.diff(l.warp_start[at], prepend=-1))


def reduce_warp(l, at, one):
    first = warps_of(l, at)
    x = np.asarray(full(at, l.word(one.operands[1], at)))
    x = x.view(np.int32) if "S32" in one.mods else x
    how = next(m for m in one.mods if m in REDUCE)
    sums = REDUCE[how].reduceat(x, first, dtype=x.dtype)
    counts = np.diff(np.append(first, len(at)))
    l.set(one.operands[0], at, np.repeat(sums, counts).view(U32))


REDUCE = {"SUM": np.add, "MAX": np.maximum, "MIN": np.minimum, "OR": np.bitwise_or,
          "AND": np.bitwise_and, "XOR": np.bitwise_xor}


def vote(l, at, one):
    operands = list(one.operands)
    source = l.predicate(operands[-1], at)
    first = warps_of(l, at)
    counts = np.diff(np.append(first, len(at)))
    ballot = np.bitwise_or.reduceat(np.where(source, U32(1) << l.lane[at].astype(U32), U32(0)), first)
    active = np.bitwise_or.reduceat(U32(1) << l.lane[at].astype(U32), first)
    truth = {"ANY": ballot != 0, "ALL": ballot == active,
             "EQ": (ballot == 0) | (ballot == active)}[
                 next(m for m in one.mods if m in ("ANY", "ALL", "EQ"))]
    for operand in operands[:-1]:
        if predicate_of(operand):
            l.set_predicate(operand, at, np.repeat(truth, counts))
        else:
            l.set(operand, at, np.repeat(ballot, counts))


def shuffle(l, at, one):
    out, name, source, by, clamp = one.operands[:5]
    lane = l.lane[at]
    by, clamp = l.unsigned(by, at) & 31, l.unsigned(clamp, at)
    mask, bound = clamp >> 8 & 31, clamp & 31
    least, most = lane & mask, lane & mask | bound & ~mask
    if "UP" in one.mods:
        wanted = lane - by
        inside = wanted >= most
    else:
        wanted = (lane + by if "DOWN" in one.mods else lane ^ by if "BFLY" in one.mods else
                  least | by & ~mask)
        inside = wanted <= most
    inside = full(at, inside)
    from_lane = np.where(inside, wanted, lane) % WARP
    value = full(at, l.word(source, l.warp_start[at] + from_lane))
    l.set(name, at, value.copy())
    l.set_predicate(out, at, inside)
