#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of traces/compiled belong to the sources, and warps are followed as they would run."""
import contextlib
import io
import json
import sys
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "traces/compiled"))
sys.dont_write_bytecode = True

import compare  # noqa: E402
import count  # noqa: E402
import cubin  # noqa: E402
import digests  # noqa: E402
import grid  # noqa: E402
import instructions  # noqa: E402
import lanes  # noqa: E402
import reals  # noqa: E402
import sass  # noqa: E402
import thread  # noqa: E402

# A loop from the thread's index to c[0x0][0x210] in steps of 32, with a call that is rare and a value that
# is loaded from a loaded address.
LOOP = """\t.section\t.text.kernel,"ax",@progbits
kernel:
        /*0000*/                   S2R R0, SR_TID.X ;
.L_x_0:
        /*0010*/                   LDC.64 R4, c[0x0][0x218] ;
        /*0020*/                   IMAD.WIDE.U32 R2, R0, 0x4, R4 ;
        /*0030*/                   LDG.E R6, desc[UR4][R2.64] ;
        /*0040*/                   ISETP.NE.AND P1, PT, R6, RZ, PT ;
        /*0050*/              @!P1 BRA `(.L_x_1) ;
        /*0060*/                   IMAD.WIDE R8, R6, 0x4, R4 ;
        /*0070*/                   LDG.E R9, desc[UR4][R8.64] ;
        /*0080*/                   IADD3 R0, R0, 0x20, RZ ;
        /*0090*/                   ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x210], PT ;
        /*00a0*/              @!P0 BRA `(.L_x_0) ;
        /*00b0*/                   EXIT ;
.L_x_1:
        /*00c0*/                   CALL.REL.NOINC `($rare) ;
        /*00d0*/                   EXIT ;
"""


def followed(text, constants, **place):
    code = instructions.kernels_in(text)["kernel"]
    one = thread.Thread({"SR_TID.X": place.get("thread", 0)}, constants.get)
    return code, *sass.follow(code, sass.longest_ways(code), one)


class Tables(unittest.TestCase):
    def test_belong_to_the_sources(self):
        self.assertEqual(count.check(), 0)

    def test_of_other_sources_are_named_with_the_remedy(self):
        with mock.patch.object(count, "hash_of_sources", lambda: "0"), contextlib.redirect_stderr(
                io.StringIO()) as errors:
            self.assertEqual(count.check(), 2)
        for line in errors.getvalue().splitlines():
            self.assertRegex(line, r"^traces/compiled/sm_\d+\.csv:2:1: .*make it anew with .*count\.py")


class Warps(unittest.TestCase):
    CONSTANTS = {0x210: 100, 0x214: 0, 0x218: 0x1000, 0x21C: 0}

    def test_loops_run_as_often_as_their_bounds_say(self):
        code, counts, _, _ = followed(LOOP, self.CONSTANTS, thread=5)
        # 5, 37, 69: the next is 101.
        self.assertEqual([n for one, n in zip(code, counts) if one.base == "IADD3"], [3])

    def test_a_branch_on_data_takes_the_longer_way_that_calls_nothing(self):
        code, counts, met, _ = followed(LOOP, self.CONSTANTS)
        self.assertEqual([n for one, n in zip(code, counts) if one.base == "CALL"], [0])
        self.assertEqual([code[at].address for at in met], [0x50])

    def test_a_load_from_a_loaded_address_is_a_lookup(self):
        code, _, _, lookups = followed(LOOP, self.CONSTANTS)
        self.assertEqual([code[at].address for at in lookups], [0x70])

    def test_carries_go_from_word_to_word(self):
        lane = thread.Thread({}, {}.get)
        lane.registers = {"R0": 0xFFFFFFFF, "R1": 1, "R2": 1, "R3": 0}
        text = ("\t.section\t.text.kernel,\n        /*0000*/ IADD3 R4, P0, R0, R2, RZ ;\n"
                "        /*0010*/ IADD3.X R5, R1, R3, RZ, P0, !PT ;\n"
                "        /*0020*/ IADD3 R6, P0, R4, -R2, RZ ;\n"
                "        /*0030*/ IADD3.X R7, R5, ~R3, RZ, P0, !PT ;\n")
        for one in instructions.kernels_in(text)["kernel"]:
            sass.execute(lane, one)
        self.assertEqual((lane.registers["R4"], lane.registers["R5"]), (0, 2))
        self.assertEqual((lane.registers["R6"], lane.registers["R7"]), (0xFFFFFFFF, 1))

    def test_integers_are_divided(self):
        # 1000 / 7 as nvcc has it: a reciprocal in float, a step of Newton's, two corrections.
        text = "\t.section\t.text.kernel,\n" + "".join(f"        /*{16 * i:04x}*/ {line} ;\n" for i, line in
                                                       enumerate((
            "I2F.U32.RP R6, R1", "IMAD R7, RZ, RZ, -R1", "MUFU.RCP R6, R6", "VIADD R4, R6, 0xffffffe",
            "F2I.FTZ.U32.TRUNC.NTZ R5, R4", "IMAD.MOV.U32 R4, RZ, RZ, RZ", "IMAD R7, R7, R5, RZ",
            "IMAD.HI.U32 R5, R5, R7, R4", "IMAD.HI.U32 R4, R5, R0, RZ", "IADD3 R10, PT, PT, -R4, RZ, RZ",
            "IMAD R5, R10, R1, R0", "ISETP.GE.U32.AND P0, PT, R5, R1, PT")))
        lane = thread.Thread({}, {}.get)
        lane.registers = {"R0": 1000, "R1": 7}
        for one in instructions.kernels_in(text)["kernel"]:
            sass.execute(lane, one)
        self.assertIn(lane.registers["R4"], (141, 142))
        self.assertEqual(lane.registers["R5"], 1000 - 7 * lane.registers["R4"])

    def test_hashes_of_files_are_no_part_of_a_name(self):
        name = "_ZN6codecs4cuda43_GLOBAL__N__0a05d697_10_kernels_cu_fb82fbc94signE"
        self.assertEqual(cubin.without_hashes(name), "_ZN6codecs4cuda10_INTERNAL_4signE")


# Where results go, in bank 0 at 0x210.
RESULTS = 0x7000


def ran(lines, threads=64, blocks=1, words=1):
    """The grid after its code has run, by the lines' numbers, and what it stored: `words` for each thread."""
    text = "\t.section\t.text.kernel,\n"
    for i, line in enumerate(lines):
        label, _, line = line.rpartition(": ")
        text += f".L_x_{label}:\n" if label else ""
        text += f"        /*{16 * i:04x}*/ {line} ;\n"
    memory = lanes.Memory([(RESULTS, 4 * words * threads * blocks)], {})
    whole_warps = -(-threads // lanes.WARP) * lanes.WARP
    all_lanes = lanes.Lanes(blocks, whole_warps, {"registers": 16, "shared": 1024}, memory,
                            lambda bank, at: {0x210: RESULTS}.get(at, 0))
    one = grid.Grid(instructions.kernels_in(text)["kernel"], all_lanes, threads)
    one.run()
    return one.counts, list(memory.part(RESULTS, 4 * words * threads * blocks).view("u4"))


STORE = ["S2R R10, SR_TID.X", "LDC.64 R8, c[0x0][0x210]", "IMAD.WIDE.U32 R8, R10, 0x4, R8",
         "STG.E desc[UR4][R8.64], R1", "EXIT"]


class Grids(unittest.TestCase):
    def test_a_warp_turns_as_often_as_its_last_lane(self):
        # Lane i turns i + 1 times: 32 turns of the first warp, 64 of the second.
        counts, results = ran(["S2R R0, SR_TID.X", "MOV R1, 0x0", "0: VIADD R1, R1, 0x1",
                               "ISETP.GT.U32.AND P0, PT, R1, R0, PT", "@!P0 BRA `(.L_x_0)"] + STORE)
        self.assertEqual(counts[2].sum(), 32 + 64)
        self.assertEqual(results, list(range(1, 65)))

    def test_lanes_that_parted_converge_where_both_ways_meet(self):
        # Odd lanes go a way that lies behind; the sum is over all.
        counts, results = ran(["S2R R0, SR_TID.X", "LOP3.LUT R2, R0, 0x1, RZ, 0xc0, !PT",
                               "ISETP.NE.U32.AND P0, PT, R2, RZ, PT", "BSSY B0, `(.L_x_1)",
                               "@P0 BRA `(.L_x_2)", "MOV R3, 0x1", "0: BSYNC B0",
                               "1: REDUX.SUM UR6, R3", "MOV R1, UR6"] + STORE +
                              ["2: MOV R3, 0x2", "BRA `(.L_x_0)"])
        self.assertEqual(results, [16 * 1 + 16 * 2] * 64)
        self.assertEqual(counts[7].sum(), 2)  # once for each warp
        self.assertEqual(counts[14].sum(), 2)

    def test_threads_see_what_others_stored_before_a_barrier(self):
        _, results = ran(["S2R R0, SR_TID.X", "IMAD.SHL.U32 R2, R0, 0x4, RZ", "STS [R2+0x400], R0",
                          "BAR.SYNC.DEFER_BLOCKING 0x0", "LDS R1, [R2+0x404]"] + STORE, threads=48)
        self.assertEqual(results, list(range(1, 48)) + [0])

    def test_atomic_operations_happen_one_after_the_other(self):
        _, results = ran(["ATOMS.ADD R1, [URZ+0x400], R3", "MOV R3, 0x1",
                          "ATOMS.ADD R1, [URZ+0x400], R3"] + STORE)
        self.assertEqual(sorted(results), list(range(64)))

    def test_32_bytes_go_through_two_names_of_which_a_load_names_the_upper_first(self):
        place = ["S2R R10, SR_TID.X", "LDC.64 R8, c[0x0][0x210]", "IMAD.WIDE.U32 R8, R10, 0x20, R8"]
        numbers = [f"MOV R{i}, {hex(10 + i)}" for i in range(8)]
        _, results = ran(place + numbers + ["STG.E.ENL2.256 desc[UR4][R8.64], R0, R4",
                                            "LDG.E.ENL2.256 R0, R4, desc[UR4][R8.64]",
                                            "STG.E.128 desc[UR4][R8.64], R0",
                                            "STG.E.128 desc[UR4][R8.64+0x10], R4", "EXIT"],
                         threads=8, words=8)
        self.assertEqual(results, [14, 15, 16, 17, 10, 11, 12, 13] * 8)

    def test_a_maximum_keeps_a_nan_where_it_says_so(self):
        least = ["MOV R2, 0x7fc00001", "MOV R3, 0xc0000000", "MOV R4, 0x3f800000"]
        _, results = ran(least + ["FMNMX3.NAN R1, |R3|, R4, RZ, !PT"] + STORE)
        self.assertEqual(results, [0x40000000] * 64)
        _, results = ran(least + ["FMNMX3.NAN R1, R3, R2, R4, !PT"] + STORE)
        self.assertEqual(results, [0x7FFFFFFF] * 64)
        _, results = ran(least + ["FMNMX3 R1, R3, R2, R4, !PT"] + STORE)
        self.assertEqual(results, [0x3F800000] * 64)

    def test_the_larger_of_doubles_is_chosen_by_a_predicate_and_a_nan_told_by_another(self):
        def chosen(first, second):
            (a, b), (c, d) = (np.float64(x).reshape(1).view("u4") for x in (first, second))
            _, results = ran([f"MOV R2, {hex(a)}", f"MOV R3, {hex(b)}", f"MOV R4, {hex(c)}",
                              f"MOV R5, {hex(d)}", "MOV R1, 0x0", "DSETP.MAX.AND P0, P1, R2, R4, PT",
                              "@P0 VIADD R1, R1, 0x1", "@P1 VIADD R1, R1, 0x2"] + STORE)
            return results[0]
        self.assertEqual([chosen(0, 1.25), chosen(3, 1), chosen(0, np.nan), chosen(np.nan, 0)],
                         [0, 1, 2, 0])

    def test_floats_of_a_whole_warp(self):
        _, results = ran(["UMOV UR4, 0x3fc00000", "UFFMA UR5, UR4, -6, UR4", "UFADD UR5, UR5, UR4",
                          "MOV R1, UR5"] + STORE)
        self.assertEqual(results, [np.float32(-6).view("u4")] * 64)

    def test_products_of_pairs(self):
        one, two, three = (hex(np.float32(x).view("u4")) for x in (1, 2, -3))
        _, results = ran([f"MOV R2, {one}", f"MOV R3, {two}", f"MOV R5, {three}",
                          "FMUL2 R6, R2.F32x2.HI_LO, R5.reuse.F32", "MOV R4, R3",
                          "FMUL2 R4, |R6|.F32x2.HI_LO, R4.F32",
                          "FADD R1, R4, R5"] + STORE)
        self.assertEqual(results, [np.float32(6 + 12).view("u4")] * 64)

    def test_pairs_become_nibbles_and_bytes_to_nearest_even_and_back(self):
        def packs(kind, high, low, below="RZ"):
            words = [np.float32(value).view("u4") for value in (high, low)]
            _, results = ran([f"MOV R{2 + i}, {hex(word)}" for i, word in enumerate(words)] +
                             ["MOV R4, 0xab",
                              f"F2FP.SATFINITE.{kind}.F32.PACK_AB_MERGE_C R1, R2, R3, {below}"] + STORE)
            return results[0]
        # Ties of E2M1 and E4M3, values beyond the largest, the smallest that is not 0, a NaN.
        for value, code in ((0.25, 0), (0.75, 2), (1.25, 2), (2.5, 4), (3.5, 6), (5, 6), (1e9, 7)):
            self.assertEqual(packs("E2M1", value, -value), code << 4 | code | 8)
        self.assertEqual(packs("E2M1", np.nan, 6, "R4"), 0xAB77)
        self.assertEqual(packs("E4M3", 17, 2.0**-9), 0x5801)
        self.assertEqual(packs("E4M3", -1e9, 464), 0xFE7E)
        self.assertEqual(packs("E5M2", 2.0**-17, 1e9, "R4"), 0xAB007B)
        for kind, bits in (("E2M1", 4), ("E4M3", 8), ("E5M2", 8)):
            code = np.arange(2**bits, dtype="u4")
            value = reals.small_values(kind, code)
            kept = np.isfinite(value)
            np.testing.assert_array_equal(
                reals.small_codes(kind, value[kept].astype("f4")), code[kept])
        _, results = ran(["MOV R2, 0x7a530000", "F2FP.F16.E2M1.UNPACK_B R1, R2.B2"] + STORE)
        halves = np.array(results[:1], "u4").view(np.float16)
        np.testing.assert_array_equal(halves, [1.5, 3])

    def test_predicates_come_from_a_byte_of_a_register(self):
        # Lane i's number is in the upper byte: bits 8 to 14, of which 8 and 10 are looked at.
        _, results = ran(["S2R R0, SR_TID.X", "IMAD.SHL.U32 R2, R0, 0x100, RZ", "MOV R1, 0x0",
                          "R2P PR, R2.B1, 0x5", "@P0 VIADD R1, R1, 0x1", "@P2 VIADD R1, R1, 0x4"] + STORE)
        self.assertEqual(results, [i & 5 for i in range(64)])

    def test_saturated_results_are_from_0_to_1_and_NaNs_become_0(self):
        _, results = ran(["S2R R0, SR_TID.X", "I2F.S32 R2, R0", "MOV R3, 0x7fffffff",
                          "ISETP.EQ.U32.AND P0, PT, R0, 0x5, PT", "SEL R2, R3, R2, P0",
                          "MOV R4, 0x3f000000", "MOV R5, 0xbf800000", "FFMA.SAT R1, R2, R4, R5"] + STORE, threads=32)
        # (i / 2 - 1) of lane i, and of lane 5 a NaN.
        self.assertEqual(results[:7], [0, 0, 0, 0x3F000000, 0x3F800000, 0, 0x3F800000])

    def test_unknown_instructions_are_refused(self):
        with self.assertRaises(NotImplementedError):
            ran(["FROBNICATE R1, R2"] + STORE)


FACTS = {"registers": 16, "shared": 0, "bank": 0x210, "jumps": b"", "parameters": {0: (0, 8), 1: (8, 8)}}
ADDRESS, OTHER_ADDRESS = "0000704eab7f0000", "0000f07d3e7f0000"


class OneKernel:
    """In place of program.Program."""

    def __init__(self, text=LOOP, facts=None, variables=b""):
        self.code = digests.Code(instructions.kernels_in(text)["kernel"], facts or FACTS, variables)

    def code_of(self, launch):
        return None if "bytes" in launch else self.code


def listed(count_parameter="6400000000000000", address=ADDRESS, **launch):
    launch = {"kernel": "kernel", "blocks": 1, "threads": 32,
              "parameters": [count_parameter, address]} | launch
    return {"codec": "bf16", "operation": "encode", "inputs": 1, "value_bytes": 4, "to": "", "variant": "",
            "elements": 64, "launches": [launch]}


def digest_of(record, run=None, contents=None, **kernel):
    return digests.of_row(record, run, contents, OneKernel(**kernel).code_of)


class Digests(unittest.TestCase):
    def test_hold_neither_labels_nor_places_in_files(self):
        moved = LOOP.replace("L_x_", "L_x_7").replace("$rare", "$rare_5").replace("/*00", "/*10")
        self.assertNotEqual(moved, LOOP)
        self.assertEqual(digest_of(listed(), text=moved), digest_of(listed()))

    def test_hold_instructions_ways_registers_and_launches(self):
        digest = digest_of(listed())
        for other in (digest_of(listed(), text=LOOP.replace("0x20", "0x40")),
                      digest_of(listed(), text=LOOP.replace("BRA `(.L_x_0)", "BRA `(.L_x_1)")),
                      digest_of(listed(), facts=FACTS | {"registers": 18}),
                      digest_of(listed(threads=64)), digest_of(listed(blocks=2)),
                      digest_of(listed(count_parameter="6500000000000000"))):
            self.assertNotEqual(other, digest)

    def test_hold_no_padding_and_no_places_in_memory(self):
        # The loop reads four bytes of its count.
        self.assertEqual(digest_of(listed(count_parameter="6400000012345678")), digest_of(listed()))
        self.assertEqual(digest_of(listed(address=OTHER_ADDRESS)), digest_of(listed()))
        self.assertEqual(digest_of(listed(count_parameter="64000000ab560000")),
                         digest_of(listed(count_parameter="640000003e7f0000")))

    def test_hold_the_values_of_what_is_run(self):
        def run_at(address, content, wire="00"):
            start = int.from_bytes(bytes.fromhex(address), "little")
            run = {"prepare": [], "run": listed(address=address)["launches"], "memory": [[start, 400]],
                   "output": [start, wire]}
            return digest_of(listed(), run, {start: content})
        digest = run_at(ADDRESS, "values")
        self.assertNotEqual(digest, digest_of(listed()))
        self.assertEqual(run_at(OTHER_ADDRESS, "values"), digest)
        self.assertNotEqual(run_at(ADDRESS, "others"), digest)
        self.assertNotEqual(run_at(ADDRESS, "values", wire="01"), digest)

    def test_hold_variables_only_of_what_is_run(self):
        run = {"prepare": [], "run": listed()["launches"], "memory": []}
        self.assertEqual(digest_of(listed(), variables=b"1"), digest_of(listed()))
        self.assertNotEqual(digest_of(listed(), run, variables=b"1"), digest_of(listed(), run))

    def test_rows_of_the_same_digest_are_kept_and_others_counted(self):
        lines = [json.dumps(listed()), json.dumps(listed() | {"codec": "fp32"})]
        with mock.patch.object(count, "row_of", lambda _, record, __: {"codec": record["codec"]}):
            first = count.rows_of(OneKernel(), lines)
            old = first[0] | {"fma": "9"}
            kept = {(old["code"], "bf16", "encode", "1", "4", ""): old}
            self.assertEqual(count.rows_of(OneKernel(), lines, kept), [old, first[1]])
            changed = count.rows_of(OneKernel(LOOP.replace("0x20", "0x40")), lines, kept)
            self.assertNotIn("fma", changed[0])


class Comparison(unittest.TestCase):
    def test_lists_rows_that_differ_in_all_that_they_issue(self):
        def row(fma, alu):
            return dict.fromkeys(compare.PIPES, "") | {"fma": fma, "alu": alu}
        old = {"same": row("1", "2"), "changed": row("1.5", "2.5"), "gone": row("1", "1"),
               "hardly": row("10", "")}
        new = {"same": row("2", "1"), "changed": row("", "3"), "came": row("1", "1"), "hardly": row("10.05", "")}
        self.assertEqual(compare.changes(old, new), [("changed", 4, 3)])

    def test_reads_the_tables_that_were_measured(self):
        rows = compare.rows_in(Path(count.HERE) / "measured/sm_90.csv")
        self.assertGreater(len(rows), 700)
        self.assertEqual(compare.changes(rows, rows), [])


if __name__ == "__main__":
    unittest.main()
