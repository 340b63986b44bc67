# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of a row of few elements, for those that do what their values say."""
import grid
import lanes
from pipes import PIPES, pipe_of

STACK = 0x400  # where a thread's own memory begins to be used, downwards


def constants_of(program, launch):
    """The constant banks: the launch's, where switches jump to, where variables are."""
    name = launch["kernel"]
    read, jumps = program.constants(launch), program.facts[name]["jumps"]
    addresses = program.files[name].addresses

    def constant(bank, at):
        if bank == 0:
            value = read(at)
            return STACK if value is None else value
        if bank == 2:
            return int.from_bytes(jumps[at:at + 4], "little")
        if bank == 4 and at - at % 8 in addresses:
            return addresses[at - at % 8] >> 8 * (at % 8) & 0xFFFFFFFF
        raise NotImplementedError(f"constant bank {bank}")
    return constant


def run(program, launch, memory):
    """The grid after a kernel has run."""
    name = launch["kernel"]
    whole_warps = -(-launch["threads"] // lanes.WARP) * lanes.WARP
    all_lanes = lanes.Lanes(launch["blocks"], whole_warps, program.facts[name], memory,
                            constants_of(program, launch))
    one = grid.Grid(program.code[name], all_lanes, launch["threads"])
    one.run()
    return one


def move(launch, memory):
    """A copy or a fill."""
    target = memory.part(launch["to"], launch["bytes"])
    if launch["kernel"] == "copy":
        target[:] = memory.part(launch["from"], launch["bytes"])
    else:
        target[:] = launch["value"]


class Block:
    """What a block issues: instructions by pipe, and those of its busiest warp. The mean over the grid's
    blocks but the last, which may be partial."""

    def __init__(self, program, name, one):
        blocks = slice(0, max(1, one.l.blocks - 1))
        self.pipes = dict.fromkeys(PIPES, 0.0)
        for at, mean in enumerate(one.counts[:, blocks].mean(1)):
            if mean > 0:
                pipe = "lookup" if at in one.lookups else pipe_of(program.code[name][at])
                self.pipes[pipe] += mean
        self.busiest = one.issued.reshape(one.l.blocks, -1)[blocks].max(1).mean()


def grids_of_row(program, record, values):
    """(name, grid) of each kernel that the row launches, in order, after it has run. Raises a RuntimeError
    if it did not write what the reference does."""
    variables = {file.base: file.variables for file in program.files.values() if file.variables}
    memory = lanes.Memory(record["memory"] + [(at, len(one)) for at, one in variables.items()],
                          values | variables)
    for launches, counted in ((record["prepare"], False), (record["run"], True)):
        for launch in launches:
            if "bytes" in launch:
                move(launch, memory)
                continue
            ran = run(program, launch, memory)
            if counted:
                yield launch["kernel"], ran
    if record.get("output"):
        at, expected = record["output"]
        if memory.part(at, len(expected) // 2).tobytes().hex() != expected:
            raise RuntimeError(f"{record['codec']} {record['operation']}, {8 * record['value_bytes']} bits: not the "
                               "reference's bytes")


def blocks_of_row(program, record, values):
    """By kernel: a Block of each of its launches."""
    blocks = {}
    for name, ran in grids_of_row(program, record, values):
        blocks.setdefault(name, []).append(Block(program, name, ran))
    return blocks
