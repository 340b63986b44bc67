# SPDX-License-Identifier: Apache-2.0
"""The codecs' operations in PyTorch, eager or through torch.compile."""

import math

import torch

from torch_bits import pack
from torch_coder import Coder, Unsupported, encode_top_k, scale

DECAY = 0.95  # of the error that is fed back


def encode_feedback(coder, x, residual):
    p = torch.add(x, residual, alpha=DECAY)
    if coder.form.keep:
        rows = coder.rotate(p).view(-1, coder.form.group)
        wire, index, sent = encode_top_k(coder.form, rows)
        if coder.form.rotation == "none":
            residual.copy_(rows.scatter_add(1, index, -sent).view(-1))
            return wire
    else:
        wire = coder.encode(p)
    residual.copy_(p - coder.decode(wire))
    return wire


def reduced(coder, wires):
    """The sum over the first dimension, rotated back."""
    return coder.unrotate(coder.values(wires).sum(0))


def operation(row, device):
    """(function of one set of inputs, function that makes a set)."""
    form, n = row.format, row.elements
    coder = Coder(form, device)
    reduces = row.operation.startswith("decode_reduce")
    whole = form.group == 0 or form.scale == "e4m3_tensor" or form.element == "codebook2"
    if reduces and (form.keep or whole):
        raise Unsupported("no sum of wires written for scales or indices of this kind")
    if n % math.lcm(form.group or 1, form.block if form.rotation != "none" else 8, 8):
        raise Unsupported("the peers know whole groups only")

    def draw(count=n, dtype=torch.float32):
        return torch.randn(count, device=device, dtype=dtype)

    def wires():
        return tuple(part.view(row.inputs, -1) for part in coder.encode(draw(row.inputs * n)))

    if row.variant == "hadamard_alone":
        return coder.rotate, lambda: (draw(),)
    if row.variant:
        raise Unsupported(f"no form written for the variant {row.variant}")
    to = Coder(row.format_to, device) if row.format_to else None
    table = {
        "encode": (coder.encode, lambda: (draw(),)),
        "encode_difference": (lambda new, old: coder.encode(new - old),
                              lambda: (draw(dtype=torch.bfloat16), draw(dtype=torch.bfloat16))),
        "encode_feedback": (lambda x, residual: encode_feedback(coder, x, residual),
                            lambda: (draw(), draw())),
        "decode": (coder.decode, lambda: (coder.encode(draw()),)),
        "decode_add": (lambda wire, model: model.add_(coder.decode(wire)),
                       lambda: (coder.encode(draw()), draw(dtype=torch.bfloat16))),
        "decode_reduce": (lambda w: reduced(coder, w), lambda: (wires(),)),
        # SDP4Bit adds up and encodes again without leaving the rotated domain.
        "decode_reduce_encode": (lambda w: requantise(to, coder.values(w).sum(0)),
                                 lambda: (wires(),)),
    }
    if row.operation not in table:
        raise Unsupported(f"no form written for {row.operation}")
    return table[row.operation]


def requantise(to, sums):
    groups = sums.view(-1, to.form.group)
    multiply, scales = scale(to.form, groups, to)
    return (pack(to.codes(groups, multiply, scales), to.form.bits), *scales)


def eager(row, device):
    return operation(row, device)


def compiled(row, device):
    function, make = operation(row, device)
    torch._dynamo.reset()  # no limit on how many rows compile
    return torch.compile(function, dynamic=False), make
