# SPDX-License-Identifier: Apache-2.0
"""The main group formats and the chunked top-k in Triton, each as one fused kernel."""

import torch
import triton
import triton.language as tl

import torch_coder
from torch_coder import LARGEST, Unsupported
from torch_peers import DECAY

BLOCK = 4096  # elements of a program
SCALES = {"amax": 0, "e8m0_ceil": 1, "e8m0_floor": 2}
ELEMENTS = {"int8": 8, "int4": 4, "e4m3": 80, "e2m1": 40}


@triton.jit
def _uniform(seed, at, ROWS: tl.constexpr, GROUP: tl.constexpr):
    """One call of the generator for four elements."""
    a, b, c, d = tl.randint4x(seed, at)
    bits = tl.reshape(tl.join(tl.join(a, b), tl.join(c, d)), (ROWS, GROUP))
    return (bits.to(tl.uint32) >> 8).to(tl.float32) * (1.0 / 16777216)


@triton.jit
def _round(v, random, STOCHASTIC: tl.constexpr):
    if STOCHASTIC:
        return tl.floor(v + random)
    else:
        return (v + 12582912.0) - 12582912.0  # to even, for |v| < 2^22


@triton.jit
def _write(v, seed, rows, payload, scales, LARGEST: tl.constexpr, ELEMENT: tl.constexpr,
           SCALE: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr,
           STOCHASTIC: tl.constexpr):
    """Groups of values -> codes and scales."""
    amax = tl.max(tl.abs(v), 1)
    if SCALE == 0:
        multiply = tl.where(amax > 0, LARGEST / amax, 0.0)
        tl.store(scales + rows, amax / LARGEST)
    else:
        if SCALE == 1:
            byte = ((amax / LARGEST).to(tl.int32, bitcast=True) + 0x7FFFFF) >> 23
        else:
            byte = (amax.to(tl.int32, bitcast=True) >> 23) - (2 if ELEMENT == 40 else 8)
        byte = tl.minimum(tl.maximum(byte, 0), 254)
        multiply = ((254 - byte) << 23).to(tl.float32, bitcast=True)
        tl.store(scales + rows, byte.to(tl.uint8))
    v = v * multiply[:, None]
    random = v
    if STOCHASTIC:
        quarter: tl.constexpr = GROUP // 4
        random = _uniform(seed, (rows[:, None] * quarter + tl.arange(0, quarter)[None, :]).to(
            tl.int32), ROWS, GROUP)
    if ELEMENT == 80:
        at = rows[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
        v = tl.minimum(tl.maximum(v, -LARGEST), LARGEST)
        tl.store(payload + at, v.to(tl.float8e4nv))
    elif ELEMENT == 8:
        at = rows[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
        tl.store(payload + at, _round(v, random, STOCHASTIC).to(tl.int8))
    else:
        if ELEMENT == 40:
            y = tl.abs(v)
            factor = tl.where(y < 2, 2.0, tl.where(y < 4, 1.0, 0.5))
            base = tl.where(y < 2, 0.0, tl.where(y < 4, 2.0, 4.0))
            index = tl.minimum(_round(y * factor, random, STOCHASTIC) + base, 7.0)
            code = index.to(tl.int32) | tl.where(v < 0, 8, 0)
        else:
            code = _round(v, random, STOCHASTIC).to(tl.int32) & 15
        low, high = tl.split(tl.reshape(code, (ROWS, GROUP // 2, 2)))
        at = rows[:, None] * (GROUP // 2) + tl.arange(0, GROUP // 2)[None, :]
        tl.store(payload + at, (low | (high << 4)).to(tl.uint8))


@triton.jit
def _hadamard(v, matrix, GROUP: tl.constexpr, ROWS: tl.constexpr):
    i = tl.arange(0, 32)
    h = tl.load(matrix + i[:, None] * 32 + i[None, :])
    blocks = tl.reshape(v, (ROWS * GROUP // 32, 32))
    return tl.reshape(tl.dot(blocks, h, input_precision="ieee"), (ROWS, GROUP))


@triton.jit
def _encode(x, old, payload, scales, matrix, seed, DIFFERENCE: tl.constexpr,
            HADAMARD: tl.constexpr, LARGEST: tl.constexpr, ELEMENT: tl.constexpr,
            SCALE: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr,
            STOCHASTIC: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    v = tl.load(x + at).to(tl.float32)
    if DIFFERENCE:
        v -= tl.load(old + at).to(tl.float32)
    if HADAMARD:
        v = _hadamard(v, matrix, GROUP, ROWS)
    _write(v, seed, rows, payload, scales, LARGEST, ELEMENT, SCALE, GROUP, ROWS, STOCHASTIC)


@triton.jit
def _read(payload, scales, rows, ELEMENT: tl.constexpr, SCALE: tl.constexpr, GROUP: tl.constexpr,
          ROWS: tl.constexpr):
    step = tl.load(scales + rows)
    if SCALE != 0:
        step = (step.to(tl.int32) << 23).to(tl.float32, bitcast=True)
    if ELEMENT == 8 or ELEMENT == 80:
        at = rows[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
        v = tl.load(payload + at).to(tl.float32)
    else:
        at = rows[:, None] * (GROUP // 2) + tl.arange(0, GROUP // 2)[None, :]
        byte = tl.load(payload + at).to(tl.int32)
        code = tl.reshape(tl.join(byte & 15, byte >> 4), (ROWS, GROUP))
        if ELEMENT == 40:
            # The code's three bits on top of a half's mantissa: a half that is 2^14 too small.
            half = ((code & 7) << 9 | (code & 8) << 12).to(tl.int16)
            v = half.to(tl.float16, bitcast=True).to(tl.float32) * 16384.0
        else:
            v = ((code ^ 8) - 8).to(tl.float32)
    return v * step[:, None]


@triton.jit
def _reduce(payload, scales, out, out_scales, matrix, payload_stride, scale_stride, seed,
            INPUTS: tl.constexpr, ADD: tl.constexpr, TO: tl.constexpr, TO_LARGEST: tl.constexpr,
            HADAMARD: tl.constexpr, LARGEST: tl.constexpr, ELEMENT: tl.constexpr,
            SCALE: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr,
            STOCHASTIC: tl.constexpr):
    """The sum of wires, written as values, added to values, or encoded again."""
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    v = _read(payload, scales, rows, ELEMENT, SCALE, GROUP, ROWS)
    for i in tl.static_range(1, INPUTS):
        v += _read(payload + i * payload_stride, scales + i * scale_stride, rows, ELEMENT, SCALE,
                   GROUP, ROWS)
    if TO != 0:
        _write(v, seed, rows, out, out_scales, TO_LARGEST, TO, SCALE, GROUP, ROWS, STOCHASTIC)
    else:
        if HADAMARD:
            v = _hadamard(v, matrix, GROUP, ROWS)
        at = rows[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
        if ADD:
            v += tl.load(out + at).to(tl.float32)
        tl.store(out + at, v.to(out.dtype.element_ty))


@triton.jit
def _top_k(x, residual, indices, values, levels, DECAY: tl.constexpr, CHUNK: tl.constexpr,
           KEEP: tl.constexpr):
    """The largest of each chunk: indices of 16 bits, codes of sign and one of two magnitudes in a
    byte, and what was not sent, in one pass. The threshold is bisected over the bits."""
    chunk = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, CHUNK)
    p = tl.load(x + chunk * CHUNK + at) + DECAY * tl.load(residual + chunk * CHUNK + at)
    size = tl.abs(p)
    bits = size.to(tl.int32, bitcast=True)
    threshold = 0
    for i in tl.static_range(31):
        candidate = threshold | (1 << (30 - i))
        count = tl.sum((bits >= candidate).to(tl.int32), 0)
        threshold = tl.where(count >= KEEP, candidate, threshold)
    place = tl.cumsum((bits >= threshold).to(tl.int32), 0)
    kept = (bits >= threshold) & (place <= KEEP)
    mean = tl.sum(tl.where(kept, size, 0.0), 0) / KEEP
    large = kept & (size > mean)
    count = tl.sum(large.to(tl.int32), 0)
    high = tl.sum(tl.where(large, size, 0.0), 0) / tl.maximum(count, 1)
    low = tl.sum(tl.where(kept & (size <= mean), size, 0.0), 0) / tl.maximum(KEEP - count, 1)
    sent = tl.where(large, high, low) * tl.where(p < 0, -1.0, 1.0)
    tl.store(residual + chunk * CHUNK + at, tl.where(kept, p - sent, p))
    to = chunk * KEEP + place - 1
    tl.store(indices + to, at.to(tl.int16), mask=kept)
    tl.store(values + to, ((p < 0).to(tl.int32) + 2 * large.to(tl.int32)).to(tl.uint8), mask=kept)
    tl.store(levels + chunk * 2, low)
    tl.store(levels + chunk * 2 + 1, high)


def _meta(form):
    if form.element not in ELEMENTS or form.scale not in SCALES or form.keep:
        raise Unsupported("no Triton kernel written for this element or scale")
    if form.group < 16 or form.group > BLOCK or form.rotation not in ("none", "hadamard"):
        raise Unsupported("no Triton kernel written for this group or rotation")
    return {"HADAMARD": form.rotation == "hadamard", "LARGEST": LARGEST[form.element],
            "ELEMENT": ELEMENTS[form.element], "SCALE": SCALES[form.scale], "GROUP": form.group,
            "ROWS": BLOCK // form.group, "STOCHASTIC": form.stochastic, "num_warps": 8}


class Wires:
    """Room for `count` wires of n elements each."""

    def __init__(self, form, n, device, count=1):
        code = torch.float8_e4m3fn if form.element == "e4m3" else (
            torch.int8 if form.bits == 8 else torch.uint8)
        step = torch.float32 if form.scale == "amax" else torch.uint8
        self.payload = torch.empty(count, n * form.bits // 8, device=device).to(code)
        self.scales = torch.empty(count, n // form.group, device=device, dtype=step)


def operation(row, device):
    form, n = row.format, row.elements
    if row.variant or n % BLOCK:
        raise Unsupported("no Triton kernel written for this variant or length")
    if form.keep:
        return _top_k_operation(row, device)
    meta, grid = _meta(form), (n // BLOCK,)
    matrix = torch_coder.hadamard(32, device)

    def encode(x, wires, old=None):
        _encode[grid](x, x if old is None else old, wires.payload, wires.scales, matrix, 1,
                      DIFFERENCE=old is not None, **meta)
        return wires.payload.view(torch.uint8).view(-1), wires.scales.view(-1)

    def draw(dtype=torch.float32):
        return torch.randn(n, device=device, dtype=dtype)

    def filled():
        wires = Wires(form, n, device, row.inputs)
        for i in range(row.inputs):
            part = Wires(form, n, device)
            encode(draw(), part)
            wires.payload[i:i + 1] = part.payload
            wires.scales[i:i + 1] = part.scales
        return wires

    def reduce(wires, out, out_scales=None, add=False):
        to = row.format_to
        if to is not None and (to.group, to.scale) != (form.group, form.scale):
            raise Unsupported("the Triton kernel encodes again in the same groups only")
        _reduce[grid](wires.payload, wires.scales, out, wires.scales if to is None else out_scales,
                      matrix, wires.payload.stride(0), wires.scales.stride(0), 1,
                      INPUTS=row.inputs, ADD=add, TO=ELEMENTS[to.element] if to else 0,
                      TO_LARGEST=LARGEST[to.element] if to else 0.0, **meta)
        return out

    def requantise(wires, to):
        reduce(wires, to.payload, to.scales)
        return to.payload.view(torch.uint8).view(-1), to.scales.view(-1)

    bf16 = torch.bfloat16
    table = {
        "encode": (encode, lambda: (draw(), Wires(form, n, device))),
        "encode_difference": (lambda new, old, wires: encode(new, wires, old),
                              lambda: (draw(bf16), draw(bf16), Wires(form, n, device))),
        "decode": (reduce, lambda: (filled(), draw())),
        "decode_reduce": (reduce, lambda: (filled(), draw())),
        "decode_add": (lambda w, out: reduce(w, out, add=True), lambda: (filled(), draw(bf16))),
        "decode_reduce_encode": (requantise,
                                 lambda: (filled(), Wires(row.format_to, n, device))),
    }
    if row.operation not in table:
        raise Unsupported(f"no Triton kernel written for {row.operation}")
    return table[row.operation]


def _top_k_operation(row, device):
    form, n = row.format, row.elements
    if row.operation != "encode_feedback" or form.rotation != "none":
        raise Unsupported("the Triton top-k encodes with error feedback only")
    chunks = n // form.group

    def encode(x, residual, indices, values, levels):
        _top_k[(chunks,)](x, residual, indices, values, levels, DECAY=DECAY, CHUNK=form.group,
                          KEEP=form.keep, num_warps=8)
        return indices, values, levels

    def make():
        kept = (chunks, form.keep)
        return (torch.randn(n, device=device), torch.randn(n, device=device),
                torch.empty(kept, device=device, dtype=torch.int16),
                torch.empty(kept, device=device, dtype=torch.uint8),
                torch.empty(chunks, 2, device=device))

    return encode, make
