# SPDX-License-Identifier: Apache-2.0
"""The codecs' formats in PyTorch, as its users would write them. They put the same information
on the wire as the codec: packed codes in one tensor, scales in another. Their random bits are
PyTorch's own."""

import math

import torch

from torch_bits import looked_up, pack, unpack

LARGEST = {"int8": 127.0, "int4": 7.0, "int2": 1.0, "e4m3": 448.0, "e5m2": 57344.0, "e2m1": 6.0,
           "nf4": 1.0}
EXPONENT = {"e4m3": (8, 3), "e5m2": (15, 2), "e2m1": (2, 1)}  # of the largest code; mantissa bits
# Of a PyTorch that has them.
FLOATS = {name: getattr(torch, of_torch)
          for name, of_torch in {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}.items()
          if hasattr(torch, of_torch)}
CASTS = {"bf16": torch.bfloat16, "fp16": torch.float16}
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
NF4 = [-1, -0.6961928, -0.5250731, -0.3949175, -0.2844414, -0.1847734, -0.0910500, 0, 0.0795803,
       0.1609302, 0.2461123, 0.3379152, 0.4407098, 0.5626170, 0.7229568, 1]  # QLoRA's quantiles
LLOYD = {"lloyd1": [0.79788], "lloyd2": [0.45278, 1.51042],
         "lloyd3": [0.24509, 0.75601, 1.34391, 2.15195],
         "lloyd4": [0.12840, 0.38805, 0.65676, 0.94234, 1.25623, 1.61805, 2.06902, 2.73259]}


class Unsupported(Exception):
    """A peer that cannot do the row; its text says why."""


def levels_of(form):
    """The values of an element's codes where they are a table."""
    if form.element == "e2m1":
        return E2M1 + [-v for v in E2M1]
    if form.element == "nf4":
        return NF4
    half = LLOYD.get(form.element)
    return [-v for v in reversed(half)] + half if half else None


def hadamard(size, device):
    h = torch.ones(1, 1, device=device)
    while h.shape[0] < size:
        h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)])
    return h / math.sqrt(size)


def dct(size, device):
    i = torch.arange(size, device=device, dtype=torch.float32)
    matrix = torch.cos(math.pi / size * (i[None, :] + 0.5) * i[:, None]) * math.sqrt(2 / size)
    matrix[0] /= math.sqrt(2)
    return matrix


class Coder:
    """A format with the constant tensors that it needs."""

    def __init__(self, form, device):
        known = set(LARGEST) | set(LLOYD) | set(CASTS) | {"sign", "codebook2", "sign_magnitude2"}
        if form.element not in known or form.scale == "clipped":
            raise Unsupported(f"no form written for {form.element}")
        needed = {form.element} & {"e4m3", "e5m2"}
        if form.scale == "e4m3_tensor":
            needed.add("e4m3")
        if not needed <= set(FLOATS):
            raise Unsupported(f"FP8 types need PyTorch 2.1; this is {torch.__version__}")
        self.form = form
        levels = levels_of(form)
        if levels:
            self.levels = torch.tensor(levels, device=device)
            self.midpoints = (self.levels[1:] + self.levels[:-1]) / 2
        if form.rotation == "dct":
            self.left = self.right = dct(form.block, device)
        elif form.rotation != "none":
            rows = 1 if form.block <= 64 else 1 << (form.block.bit_length() - 1) // 2
            self.left = hadamard(rows, device)
            self.right = hadamard(form.block // rows, device)
        if form.rotation == "random_signs":
            self.signs = 1 - 2 * torch.randint(0, 2, (form.block,), device=device).float()

    def rotate(self, x):
        if self.form.rotation == "none":
            return x
        tiles = x.view(-1, self.left.shape[0], self.right.shape[0])
        if self.form.rotation == "random_signs":
            tiles = tiles * self.signs.view(tiles.shape[1:])
        if tiles.shape[1] > 1:
            tiles = self.left @ tiles
        return (tiles @ self.right.T).view(-1)

    def unrotate(self, x):
        if self.form.rotation == "none":
            return x
        tiles = x.view(-1, self.left.shape[0], self.right.shape[0]) @ self.right
        if tiles.shape[1] > 1:
            tiles = self.left.T @ tiles
        if self.form.rotation == "random_signs":
            tiles = tiles * self.signs.view(tiles.shape[1:])
        return tiles.reshape(-1)

    def encode(self, x):
        """Values -> tensors of the wire."""
        form = self.form
        if form.element in CASTS:
            return (x.to(CASTS[form.element]),)
        x = self.rotate(x.view(-1).float())
        if form.keep:
            return encode_top_k(form, x.view(-1, form.group))[0]
        if form.element == "codebook2":
            levels, codes = codebook(x)
            return pack(codes, 2), levels
        groups = x.view(1, -1) if form.group == 0 else x.view(-1, form.group)
        multiply, scales = scale(form, groups, self)
        return (pack(self.codes(groups, multiply, scales), form.bits), *scales)

    def codes(self, groups, multiply, scales):
        form = self.form
        if form.element == "sign":
            return (groups < 0).to(torch.uint8)
        if form.scale == "min_max":
            v = (groups - scales[1]) * multiply
            return rounded(v, form).clamp(0, 2**form.bits - 1).to(torch.uint8)
        v = groups * multiply
        if form.element in FLOATS:
            largest = LARGEST[form.element]
            return v.clamp(-largest, largest).to(FLOATS[form.element]).view(torch.uint8)
        if form.element == "e2m1":
            return e2m1_codes(v, form)
        if form.element in LARGEST and form.element != "nf4":
            top = 2 ** (form.bits - 1) - 1
            low = -top - (form.scale == "amax_full")
            return rounded(v, form).clamp(low, top).to(torch.int8).view(torch.uint8)
        return torch.bucketize(v, self.midpoints, out_int32=True).to(torch.uint8)

    def values(self, wire):
        """Of the codes, scaled; the rotation is not undone."""
        form = self.form
        if form.element in CASTS:
            return wire[0].float()
        if form.keep:
            return decode_top_k(form, wire)
        payload, *scales = wire
        if form.element == "codebook2":
            return looked_up(scales[0], unpack(payload, form.bits))
        if form.element in FLOATS:
            v = payload.view(FLOATS[form.element]).float()
        else:
            v = unpack(payload, form.bits)
            if form.element == "sign":
                v = 1.0 - 2.0 * v
            elif hasattr(self, "levels"):
                v = looked_up(self.levels, v)
            elif form.scale != "min_max":
                sign = 1 << (form.bits - 1)
                v = v.view(torch.int8) if form.bits == 8 else (v.to(torch.int8) ^ sign) - sign
        lead = (*payload.shape[:-1], -1)
        v = v.float().view(lead if form.group == 0 else (*lead, form.group))
        step = scales[0]
        if form.scale.startswith("e8m0"):
            step = (step.int() << 23).view(torch.float32)
        elif form.scale == "e4m3_tensor":
            step = step.view(FLOATS["e4m3"]).float() * scales[1]
        if form.group != 0:
            step = step.view(*payload.shape[:-1], -1, 1)
        v = v * step
        if form.scale == "min_max":
            v = v + scales[1].view(step.shape)
        return v.view(lead)

    def decode(self, wire):
        return self.unrotate(self.values(wire).view(-1))


def rounded(v, form):
    return torch.floor(v + torch.rand_like(v)) if form.stochastic else torch.round(v)


def e2m1_codes(v, form):
    """Three ranges of equal steps: below 2, below 4, up to 6."""
    y = v.abs()
    factor = torch.where(y < 2, 2.0, torch.where(y < 4, 1.0, 0.5))
    base = torch.where(y < 2, 0.0, torch.where(y < 4, 2.0, 4.0))
    index = (rounded(y * factor, form) + base).clamp(max=7)
    return index.to(torch.uint8) | ((v < 0).to(torch.uint8) << 3)


def scale(form, groups, coder):
    """(factor on the values, the wire's tensors of scales)."""
    if form.scale == "min_max":
        low, high = groups.aminmax(dim=1, keepdim=True)
        step = (high - low) / (2**form.bits - 1)
        return torch.where(step > 0, 1 / step, 0), (step, low)
    if form.scale in ("mean_magnitude", "root_mean_square"):
        mean = form.scale == "mean_magnitude"
        step = groups.abs().mean(1, True) if mean else groups.square().mean(1, True).sqrt()
        return 1, (step,)
    if form.scale == "matched":
        norm = groups.norm(dim=1, keepdim=True)
        multiply = math.sqrt(groups.shape[1]) / norm.clamp(min=1e-30)
        centroids = coder.levels[torch.bucketize(groups * multiply, coder.midpoints)]
        step = norm.square() / (centroids * groups).sum(1, True).clamp(min=1e-30)
        return multiply, (step,)
    amax = groups.abs().amax(1, True)
    if form.scale.startswith("e8m0"):
        return e8m0(form, amax)
    if form.scale == "e4m3_tensor":
        whole = amax.amax()
        total = torch.where(whole > 0, 2688 / whole, 1.0)
        block = (amax / 6 * total).to(FLOATS["e4m3"])
        step = block.float()
        return torch.where(step > 0, total / step, 0), (block.view(torch.uint8), 1 / total)
    if form.scale == "norm":
        amax = groups.norm(dim=1, keepdim=True)
    largest = 2.0 ** (form.bits - 1) if form.scale == "amax_full" else LARGEST[form.element]
    return torch.where(amax > 0, largest / amax, 0), (amax / largest,)


def e8m0(form, amax):
    """A power of two, as a byte: its biased exponent."""
    top, mantissa = EXPONENT[form.element]
    if form.scale == "e8m0_ceil":
        byte = ((amax / LARGEST[form.element]).view(torch.int32) + 0x7FFFFF) >> 23
    else:
        bits = amax.view(torch.int32)
        if form.scale == "e8m0_even":
            bits = bits + (1 << (22 - mantissa))
        byte = (bits >> 23) - top
    byte = byte.clamp(0, 254)
    return ((254 - byte) << 23).view(torch.float32), (byte.to(torch.uint8),)


def codebook(v):
    """(levels, codes) of one codebook for all values: means of four bins of 1.5 sigma (SparseLoCo)."""
    shift = v.mean()
    bins = ((v - shift) / (1.5 * v.std()) + 2).round().clamp(0, 3)
    masks = [bins == j for j in range(4)]
    levels = torch.stack([(v * m).sum() / m.sum().clamp(min=1) for m in masks])
    return levels, bins.to(torch.uint8)


def encode_top_k(form, rows):
    """((packed indices, packed 2-bit codes, levels), indices, the values as decoded)."""
    index = torch.topk(rows.abs(), form.keep, dim=1, sorted=False).indices
    v = rows.gather(1, index)
    if form.element == "sign_magnitude2":
        size = v.abs()
        large = size > size.mean(1, True)
        count = large.sum(1, True)
        high = (size * large).sum(1, True) / count.clamp(min=1)
        low = (size * ~large).sum(1, True) / (form.keep - count).clamp(min=1)
        codes = (v < 0).to(torch.uint8) | (large.to(torch.uint8) << 1)
        sent = torch.where(large, high, low) * torch.where(v < 0, -1.0, 1.0)
        levels = torch.cat([low, high], 1)
    else:
        levels, codes = codebook(v)
        sent = looked_up(levels, codes)
    pairs = index.int().view(-1, 2)
    word = pairs[:, 0] | (pairs[:, 1] << 12)
    packed = torch.stack([(word >> s).to(torch.uint8) for s in (0, 8, 16)], 1)
    return (packed, pack(codes, 2), levels), index, sent


def decode_top_k(form, wire):
    packed, payload, levels = wire
    word = packed[:, 0].int() | (packed[:, 1].int() << 8) | (packed[:, 2].int() << 16)
    index = torch.stack([word & 4095, word >> 12], 1).view(-1, form.keep).long()
    codes = unpack(payload, 2).view(-1, form.keep)
    if form.element == "sign_magnitude2":
        v = levels.gather(1, (codes >> 1).long()) * (1.0 - 2.0 * (codes & 1))
    else:
        v = looked_up(levels, codes)
    return v.new_zeros(v.shape[0], form.group).scatter_(1, index, v).view(-1)
