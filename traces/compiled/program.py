# SPDX-License-Identifier: Apache-2.0
"""The compiled kernels of one architecture, and what warps of a launch do in them."""
import cubin
import digests
import instructions
import sass
import thread
from pipes import PIPES, pipe_of

# Lanes whose ways are followed: what a warp issues is what any of them does. Others do as these.
LANES = (0, 1, 2, 3, 8, 16, 17, 31)

# Where the variables of the files begin in memory: far from what is allocated.
VARIABLES = 1 << 40


class Program:
    """All kernels of one architecture."""

    def __init__(self, nvdisasm, cubins, architecture):
        self.architecture = int(architecture)
        self.facts, self.code, self.ways, self.files, self.digests = {}, {}, {}, {}, {}
        for i, path in enumerate(cubins):
            file = cubin.Cubin(path, VARIABLES + (i << 24))
            for name, facts in file.kernels.items():
                self.facts[cubin.without_hashes(name)] = facts
                self.files[cubin.without_hashes(name)] = file
            for name, code in instructions.read_kernels(nvdisasm, path).items():
                self.code[cubin.without_hashes(name)] = code

    def parameter_sizes(self):
        return "".join(
            " ".join([name] + [str(facts["parameters"][i][1])
                               for i in range(len(facts["parameters"]))]) + "\n"
            for name, facts in self.facts.items())

    def code_of(self, launch):
        """For digests; None of a copy or a fill."""
        name = launch["kernel"]
        if "bytes" in launch:
            return None
        if name not in self.digests:
            self.digests[name] = digests.Code(self.code[name], self.facts[name],
                                              self.files[name].variables)
        return self.digests[name]

    def constants(self, launch):
        """The constant bank as a kernel sees it: the shape of the launch, and its parameters."""
        facts, bank = self.facts[launch["kernel"]], bytearray(1 << 13)
        for i, value in enumerate(launch["parameters"]):
            at = facts["bank"] + facts["parameters"][i][0]
            bank[at:at + len(value) // 2] = bytes.fromhex(value)
        # Blackwell has the shape where 90 and older have theirs, 0x360 further.
        start = 0x360 if self.architecture >= 100 else 0
        gap = 0x10 if self.architecture >= 100 else 0xC
        shape = {start: launch["threads"], start + 4: 1, start + 8: 1,
                 start + gap: launch["blocks"], start + gap + 4: 1, start + gap + 8: 1}

        def read(at):
            if at >= facts["bank"]:
                return int.from_bytes(bank[at:at + 4], "little")
            return shape.get(at)
        return read

    def warp(self, launch, warp):
        """How often a warp of a block amid the grid issues each instruction; loops without a known end,
        lookups."""
        name = launch["kernel"]
        code, constants = self.code[name], self.constants(launch)
        if name not in self.ways:
            self.ways[name] = sass.longest_ways(code)
        counts, loops, lookups = [0] * len(code), set(), set()
        for lane in LANES:
            place = {"SR_TID.X": 32 * warp + lane, "SR_CTAID.X": launch["blocks"] // 2,
                     "SR_LANEID": lane}
            for rest in ("SR_TID.Y", "SR_TID.Z", "SR_CTAID.Y", "SR_CTAID.Z"):
                place[rest] = 0
            found, met, loads = sass.follow(code, self.ways[name], thread.Thread(place, constants))
            counts = list(map(max, counts, found))
            lookups |= loads
            loops |= {at for at in met if found[at] > 1 or (code[at].target or at) < at}
        return counts, loops, lookups

    def count(self, launch, run):
        """Instructions of a block by pipe, of its busiest warp (None: as many as others), and the number of
        those loops. `run`: a Block of the same kernel with few elements, or None. It stands for kernels of several blocks; for those of one,
        which may do more with more elements, only where they loop as their data says."""
        if run and launch["blocks"] > 1:
            return run.pipes, run.busiest, 0
        warps = -(-launch["threads"] // 32)
        sampled = sorted({0, warps // 2, warps - 1})
        pipes, loops = dict.fromkeys(PIPES, 0.0), set()
        for warp in sampled:
            counts, endless, lookups = self.warp(launch, warp)
            if run and endless:
                return run.pipes, run.busiest, 0
            loops |= endless
            for at, count in enumerate(counts):
                if count:
                    pipe = "lookup" if at in lookups else pipe_of(self.code[launch["kernel"]][at])
                    pipes[pipe] += count * warps / len(sampled)
        return pipes, None, len(loops)
