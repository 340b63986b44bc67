# SPDX-License-Identifier: Apache-2.0
"""What is known of a variant without a GPU: what its kernels take of a multiprocessor, how many bytes their
loads keep in flight there, and how many instructions they issue for each element.

The counts are those of traces/compiled/count.py, which runs encodes and decodes; they must leave the
reference's bytes."""
import json
import re
import subprocess
import sys
import typing

import tune_space

sys.path.insert(0, str(tune_space.ROOT / "traces/compiled"))

import count  # noqa: E402
import cubin  # noqa: E402
from accesses import registers_of, width_of  # noqa: E402
from pipes import PIPES  # noqa: E402

# Of a multiprocessor: warps, blocks, KiB of shared memory (CUDA C++ Programming Guide, "Compute Capabilities").
HOLDS = {"80": (64, 32, 164), "89": (48, 24, 100), "90": (64, 32, 228), "100": (64, 32, 228), "120": (48, 24, 100)}
REGISTERS = 65536  # of a multiprocessor; handed out to warps by 256


class Screened(typing.NamedTuple):
    """Of an operation's largest kernel; instructions are of all."""

    variant: tune_space.Variant
    operation: tune_space.Operation
    registers: int = 0
    spilled_bytes: int = 0
    warps: int = 0  # resident on a multiprocessor
    bytes_in_flight: int = 0  # on a multiprocessor
    instructions: float = 0.0
    verdict: str = ""  # why it cannot be taken; empty: it can


def resident_warps(architecture, threads, registers, shared_bytes):
    most_warps, most_blocks, shared_kib = HOLDS[architecture]
    warps = -(-threads // 32)
    of_registers = REGISTERS // (-(-32 * registers // 256) * 256 * warps)
    of_shared = int(shared_kib / (shared_bytes / 1024 + 1))  # a block takes a KiB of its own
    return warps * min(of_registers, of_shared, most_warps // warps, most_blocks)


def bytes_in_flight(code):
    """The most bytes that a thread has loaded from memory and not used yet, in the order of the code."""
    waiting, most = {}, 0  # by the load's place: (registers, bytes)
    for at, one in enumerate(code):
        named = {int(number) for operand in one.operands for number in re.findall(r"\bR(\d+)\b", operand)}
        waiting = {place: load for place, load in waiting.items() if named.isdisjoint(load[0])}
        if one.base in ("LDG", "LD") and re.match(r"R\d+$", one.operands[0]):
            registers = {int(name[1:]) + i for name, i in registers_of(one, one.operands[:2])}
            waiting[at] = (registers, width_of(one))
            most = max(most, sum(size for _, size in waiting.values()))
    return most


def is_of(record, operation):
    return ((record["codec"], record["operation"], record["inputs"], record["value_bytes"], record["to"]) ==
            (operation.codec, operation.name, operation.inputs, 4, ""))


def screened(variant, operation, program, spills, lines):
    """`spills`: of tune_space.spills_in(), by kernel; `lines`: of gardenhose-kernel-launches."""
    records = [line for line in lines if "values" in json.loads(line) or is_of(json.loads(line), operation)]
    launches = [one for line in records for one in json.loads(line).get("launches", ()) if "bytes" not in one]
    if not launches:
        raise RuntimeError(f"{operation} launches none of the kernels of {', '.join(variant.constant.sources)}")
    largest = max(launches, key=lambda one: one["blocks"] * one["threads"])
    facts = program.facts[largest["kernel"]]
    warps = resident_warps(str(program.architecture), largest["threads"], facts["registers"], facts["shared"])
    spilled = max(spills.get(one["kernel"], 0) for one in launches)
    result = Screened(variant, operation, facts["registers"], spilled, warps,
                      32 * warps * bytes_in_flight(program.code[largest["kernel"]]))
    if warps == 0:
        return result._replace(verdict="does not fit")
    try:
        row, = count.rows_of(program, records)
    except RuntimeError as error:
        return result._replace(verdict=str(error))
    return result._replace(instructions=sum(float(row[pipe]) for pipe in PIPES),
                           verdict="spills" if spilled else "")


def screen(constant, architecture, compiler, linker, nvdisasm):
    """[Screened] of each variant and operation, the default's first."""
    results = []
    variants = tune_space.variants_of(constant)
    for variant, built in zip(variants, compiler.compile_all(variants)):
        program = count.Program(nvdisasm, built.cubins, architecture)
        launches = linker.link(built.objects, compiler.folder / variant.label / f"launches_{constant.name}")
        codecs = sorted({one.codec for one in constant.operations})
        lines = subprocess.run([launches, *codecs], input=program.parameter_sizes(), check=True,
                               capture_output=True, text=True).stdout.splitlines()
        spills = {cubin.without_hashes(kernel): size for (kernel, _), size in built.spills.items()}
        results += [screened(variant, operation, program, spills, lines) for operation in constant.operations]
    return results


def table(results):
    """Lines for each variant and operation, with the instructions of the default's."""
    head = ("constant", "value", "operation", "registers", "spilled", "warps", "KiB in flight", "instructions",
            "of default", "")
    rows = [head]
    default = {one.operation: one.instructions for one in results if one.variant.is_default}
    for one in results:
        of_default = one.instructions / default[one.operation] if one.instructions else None
        rows.append((one.variant.constant.name, f"{one.variant.value}{'*' if one.variant.is_default else ''}",
                     str(one.operation), str(one.registers), str(one.spilled_bytes), str(one.warps),
                     f"{one.bytes_in_flight / 1024:.1f}", f"{one.instructions:.2f}" if of_default else "",
                     f"{of_default:.3f}" if of_default else "", one.verdict))
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    left = (0, 2, len(head) - 1)
    return ["  ".join(text.ljust(width) if i in left else text.rjust(width)
                      for i, (text, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
