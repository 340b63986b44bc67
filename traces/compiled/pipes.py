# SPDX-License-Identifier: Apache-2.0
"""Which pipe of a multiprocessor executes an instruction."""

PIPES = ("fma", "multiply", "alu", "convert", "xu", "lsu", "lookup", "fp64", "uniform", "control")
# By the first part of an instruction's name. "multiply": integer multiply and add, on half of the pipe
# of floats; "xu": the unit of special functions; "lookup": loads from addresses that were loaded;
# "control": branches and barriers.
PIPE_OF = {
    "fma": "FFMA FADD FMUL HADD2 HFMA2 HMUL2 FFMA2 FADD2 FMUL2 FSWZADD",
    "multiply": "IMAD IDP",
    "alu": "IADD3 IADD LOP3 LOP SHF SHL SHR ISETP FSETP SEL FSEL PRMT FMNMX FMNMX3 IMNMX VIMNMX "
           "VIMNMX3 VIADD VIADDMNMX LEA MOV PLOP3 P2R R2P FCHK VOTE IABS CS2R HSETP2 HMNMX2 BMSK SGXT "
           "LDC S2R VABSDIFF CCTL",
    "convert": "F2FP I2FP F2IP I2IP",
    "xu": "MUFU F2I I2F F2F FRND POPC FLO BREV I2I",
    "lsu": "LDG STG LDS STS LDL STL LD ST RED REDG REDS ATOM ATOMG ATOMS SHFL LDSM B2R MATCH REDUX CREDUX",
    "fp64": "DADD DFMA DMUL DSETP DMNMX",
    "control": "BRA BRX BRXU BSSY BSYNC EXIT BAR WARPSYNC NOP CALL RET BREAK BMOV YIELD MEMBAR DEPBAR "
               "ENDCOLLECTIVE NANOSLEEP BPT ERRBAR CCTLL ACQBULK PREEXIT ELECT KILL",
}
BY_NAME = {name: pipe for pipe, names in PIPE_OF.items() for name in names.split()}


def pipe_of(one):
    if one.base.startswith("U") or one.base in ("S2UR", "R2UR", "LDCU", "VOTEU"):
        return "uniform"
    if one.base == "F2F" and one.mods & {"F64"}:
        return "fp64"
    return BY_NAME[one.base]
