# SPDX-License-Identifier: Apache-2.0
"""A matrix product in tiles, one block each, by Triton: for overlap.py."""
import triton
import triton.language as tl


@triton.jit
def product(a_start, b_start, c_start, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
            TILE_K: tl.constexpr):
    # Blocks that run at a time share columns of b: eight rows of tiles, column by column.
    columns = n // TILE_N
    block = tl.program_id(0)
    band = block // (8 * columns)
    row = band * 8 + block % 8
    column = block % (8 * columns) // 8
    rows = row * TILE_M + tl.arange(0, TILE_M)
    across = column * TILE_N + tl.arange(0, TILE_N)
    depth = tl.arange(0, TILE_K)
    a = a_start + rows[:, None] * k + depth[None, :]
    b = b_start + depth[:, None] * n + across[None, :]
    sums = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for _ in range(0, k, TILE_K):
        sums = tl.dot(tl.load(a), tl.load(b), sums)
        a += TILE_K
        b += TILE_K * n
    tl.store(c_start + rows[:, None] * n + across[None, :], sums.to(tl.bfloat16))


def multiply(a, b, c):
    """c = a b, of row-major BF16; m is a multiple of 1 024, n of 256 and k of 64."""
    (m, k), n = a.shape, b.shape[1]
    product[(m // 128 * (n // 256),)](a, b, c, n, k, 128, 256, 64, num_warps=8, num_stages=3)
