# SPDX-License-Identifier: Apache-2.0
"""Formats of a calibration table's codecs, read from their names, and the bytes moved."""

import dataclasses
import re

SCALES = {"full": "amax_full", "minmax": "min_max", "norm": "norm", "mean": "mean_magnitude",
          "rms": "root_mean_square", "floor": "e8m0_floor", "ceil": "e8m0_ceil",
          "even": "e8m0_even", "e4m3": "e4m3_tensor", "matched": "matched"}
BITS = {"fp32": 32, "fp16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "e2m1": 4, "int8": 8, "int4": 4,
        "int2": 2, "nf4": 4, "dynamic8": 8, "sign": 1, "lloyd1": 1, "lloyd2": 2, "lloyd3": 3,
        "lloyd4": 4, "codebook2": 2, "sign_magnitude2": 2}
# OCP Microscaling and NVFP4 under the names that they are known by.
ALIASES = (("mxfp8_e5m2", "e5m2_ceil_g32"), ("mxfp8_e4m3", "e4m3_ceil_g32"),
           ("mxfp8", "e4m3_ceil_g32"), ("mxfp4", "e2m1_even_g32"), ("nvfp4", "e2m1_e4m3_g16"),
           ("fp8_", ""), ("eden", "lloyd"), ("sign_ef", "sign_mean_g2048"))
NAME = re.compile(
    rf"(?P<element>{'|'.join(sorted(BITS, key=len, reverse=True))})"
    rf"(_(?P<scale>{'|'.join(SCALES)}))?"
    r"(_(?P<whole>tensor)|_g(?P<group>\d+))?"
    r"(_(?P<rotation>hadamard|rht|dct)(?P<block>\d*))?"
    r"(_top(?P<keep>\d+))?(?P<sr>_sr)?$")


@dataclasses.dataclass(frozen=True)
class Format:
    """codecs/format.hpp's, in its words; group 0 is the whole tensor."""
    element: str
    scale: str = "none"
    group: int = 1
    stochastic: bool = False
    rotation: str = "none"
    block: int = 32
    keep: int = 0

    @property
    def bits(self):
        return BITS[self.element]


def parse(name):
    """The format that a codec's name spells, or None where it is no format of groups."""
    for alias, spelled in ALIASES:
        if name.startswith(alias):
            name = spelled + name[len(alias):]
            # Another way of rounding the scale stands after the alias: mxfp4_even.
            name = re.sub(r"_\w+_g32_(floor|ceil|even)", r"_\1_g32", name)
            break
    found = NAME.match(name)
    if not found:
        return None
    grouped = found["whole"] or found["group"]
    default = {"sign": "mean_magnitude", "lloyd": "matched"}.get(found["element"].rstrip("1234"),
                                                                 "amax")
    return Format(
        element=found["element"],
        scale=SCALES.get(found["scale"], default if grouped else "none"),
        group=0 if found["whole"] else int(found["group"] or 1),
        stochastic=bool(found["sr"]),
        rotation={None: "none", "rht": "random_signs"}.get(found["rotation"], found["rotation"]),
        block=int(found["block"] or (64 if found["rotation"] == "dct" else 32)),
        keep=int(found["keep"] or 0))


@dataclasses.dataclass(frozen=True)
class Row:
    """What a peer is asked to do: a row of the calibration table."""
    codec: str
    operation: str
    inputs: int
    elements: int
    moved_bytes: float
    median_s: float
    to: str = ""
    variant: str = ""

    @property
    def format(self):
        return parse(self.codec)

    @property
    def format_to(self):
        return parse(self.to) if self.to else None

    @property
    def input_bytes(self):
        """Of float32 values, over all inputs."""
        return 4 * self.elements * self.inputs

    def key(self):
        return {name: getattr(self, name)
                for name in ("codec", "to", "operation", "variant", "inputs", "elements")}

    def moved_by(self, value_bytes):
        """Bytes that the operation moves where values are of this size instead of float32."""
        values = self.operation in ("encode", "encode_feedback", "decode", "decode_reduce")
        passes = 2 if self.operation.startswith("encode") and self.format.group == 0 else 1
        return self.moved_bytes - values * passes * (4 - value_bytes) * self.elements


def by_size(kernels):
    """A row for each size of each kernel, of those whose values are lists."""
    for kernel in kernels:
        lists = [name for name, value in kernel.items() if isinstance(value, list)]
        for i in range(len(kernel["elements"])):
            yield {**kernel, **{name: kernel[name][i] for name in lists}}


def read_rows(table):
    """Those that peers do too: not the encodes of bfloat16 values, which are rows of their own."""
    rows = []
    names = {field.name for field in dataclasses.fields(Row)}
    for row in by_size(table.get("codecs", []) + table.get("variants", [])):
        if row["operation"] == "encode" and row.get("value_bytes", 4) != 4:
            continue
        rows.append(Row(**{name: value for name, value in row.items() if name in names}))
    return [row for row in rows if row.format is not None and row.median_s > 0]
