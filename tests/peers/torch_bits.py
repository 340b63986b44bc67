# SPDX-License-Identifier: Apache-2.0
"""Codes of a few bits in bytes, and tables that they are looked up in."""

import torch

TAKES_NARROW_INDICES = int(torch.__version__.split(".")[0]) >= 2  # else of 64 bits alone


def looked_up(table, codes):
    return table[codes.int() if TAKES_NARROW_INDICES else codes.long()]


def pack(codes, bits):
    codes = codes.reshape(-1)
    if bits == 8:
        return codes
    if bits == 3:  # eight codes in three bytes
        word = codes.view(-1, 8).int()
        word = sum(word[:, i] << (3 * i) for i in range(8))
        return torch.stack([(word >> s).to(torch.uint8) for s in (0, 8, 16)], 1).view(-1)
    parts = (codes & (2**bits - 1)).view(-1, 8 // bits)
    byte = parts[:, 0]
    for i in range(1, 8 // bits):
        byte = byte | (parts[:, i] << (bits * i))
    return byte


def unpack(payload, bits):
    if bits == 8:
        return payload
    if bits == 3:
        word = payload.view(*payload.shape[:-1], -1, 3).int()
        word = word[..., 0] | (word[..., 1] << 8) | (word[..., 2] << 16)
        parts = [(word >> (3 * i)) & 7 for i in range(8)]
        return torch.stack(parts, -1).to(torch.uint8).flatten(-2)
    parts = [(payload >> (bits * i)) & (2**bits - 1) for i in range(8 // bits)]
    return torch.stack(parts, -1).flatten(-2)
