#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of traces/compiled belong to the sources, and warps are followed as they would run."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "traces/compiled"))
sys.dont_write_bytecode = True

import count  # noqa: E402
import sass  # noqa: E402

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
    code = sass.kernels_in(text)["kernel"]
    thread = sass.Thread({"SR_TID.X": place.get("thread", 0)}, constants.get)
    return code, *sass.follow(code, sass.longest_ways(code), thread)


class Tables(unittest.TestCase):
    def test_belong_to_the_sources(self):
        self.assertEqual(count.check(), 0)


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
        thread = sass.Thread({}, {}.get)
        thread.registers = {"R0": 0xFFFFFFFF, "R1": 1, "R2": 1, "R3": 0}
        text = ("\t.section\t.text.kernel,\n        /*0000*/ IADD3 R4, P0, R0, R2, RZ ;\n"
                "        /*0010*/ IADD3.X R5, R1, R3, RZ, P0, !PT ;\n"
                "        /*0020*/ IADD3 R6, P0, R4, -R2, RZ ;\n"
                "        /*0030*/ IADD3.X R7, R5, ~R3, RZ, P0, !PT ;\n")
        for one in sass.kernels_in(text)["kernel"]:
            thread.execute(one)
        self.assertEqual((thread.registers["R4"], thread.registers["R5"]), (0, 2))
        self.assertEqual((thread.registers["R6"], thread.registers["R7"]), (0xFFFFFFFF, 1))

    def test_hashes_of_files_are_no_part_of_a_name(self):
        name = "_ZN6codecs4cuda43_GLOBAL__N__0a05d697_10_kernels_cu_fb82fbc94signE"
        self.assertEqual(sass.without_hashes(name), "_ZN6codecs4cuda10_INTERNAL_4signE")


if __name__ == "__main__":
    unittest.main()
