# SPDX-License-Identifier: Apache-2.0
"""What the ELF file of compiled kernels says of each: registers, shared memory, parameters."""
import re
import struct

# Attributes in the sections .nv.info.
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
    """Of each kernel: registers, bytes of shared memory, parameters [(offset, size)], their bank's start,
    the constants that hold addresses to jump to. `base`: where the file's variables are in memory."""

    def __init__(self, path, base=0):
        with open(path, "rb") as file:
            data = file.read()
        self.kernels, self.base = {}, base
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
            elif name.startswith(".nv.constant2."):
                self.kernels.setdefault(name[14:], self._blank())["jumps"] = data[offset:offset + size]
            elif name.startswith(".nv.shared."):
                self.kernels.setdefault(name[11:], self._blank())["shared"] = size
        for name, _, offset, size in sections:
            if name != ".nv.info":
                continue
            for attribute, value in self._attributes(data, offset, size):
                if attribute == ATTRIBUTE_REGISTERS:
                    symbol, registers = struct.unpack("<II", value)
                    if symbols[symbol][0] in self.kernels:
                        self.kernels[symbols[symbol][0]]["registers"] = registers
        self.kernels = {name: one for name, one in self.kernels.items() if one["registers"]}
        self._find_variables(data, sections, symbols)

    def _find_variables(self, data, sections, symbols):
        """The file's variables, with those that begin as zeros, and by place in constant bank 4 the address
        of each."""
        self.variables, self.addresses, starts = b"", {}, {}
        for i, (name, _, offset, size) in enumerate(sections):
            if name in (".nv.global.init", ".nv.global"):
                self.variables += bytes(-len(self.variables) % 16)
                starts[i] = len(self.variables)
                self.variables += bytes(size) if name == ".nv.global" else data[offset:offset + size]
        where = {name: (offset, size) for name, _, offset, size in sections}
        bank = where.get(".nv.constant4", (0, 0))[0]
        # Until compute capability 8.9 the bank itself holds what is added.
        for name, entry in ((".rela.nv.constant4", 24), (".rel.nv.constant4", 16)):
            start, size = where.get(name, (0, 0))
            for at in range(start, start + size, entry):
                place, info = struct.unpack_from("<QQ", data, at)
                addend, = struct.unpack_from("<q", data, at + 16 if entry == 24 else bank + place)
                _, section, value = symbols[info >> 32]
                if section in starts:
                    self.addresses[place] = self.base + starts[section] + value + addend

    @staticmethod
    def _blank():
        return {"registers": 0, "shared": 0, "parameters": {}, "bank": 0, "jumps": b""}

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
        symbols = []
        for at in range(table[2], table[2] + table[3], 24):
            name, _, section, value, _ = struct.unpack_from("<IHHQQ", data, at)
            name += text
            symbols.append((data[name:data.index(b"\0", name)].decode(), section, value))
        return symbols

    @staticmethod
    def _attributes(data, at, size):
        end = at + size
        while at < end:
            form, attribute, value = struct.unpack_from("<BBH", data, at)
            at += 4
            if form == 4:
                yield attribute, data[at:at + value]
                at += value
