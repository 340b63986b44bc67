// SPDX-License-Identifier: Apache-2.0
// Rows of 64 values in each thread, for the rotated formats. Blocks of up to 64 lie in a thread, those
// of 128 in two neighbours, which shuffle; those of 4096 go through shared memory.
#pragma once

#include "codecs/cuda/random_signs.cuh"

namespace codecs::cuda {

using RowTile = RotationTile<12, 6>;
inline constexpr int kRow = RowTile::kHeld;
inline constexpr int kRowLog = RowTile::kHeldLog;

// The stride of kRow, between neighbouring threads. By how their orders differ, the partner of value
// k is the other thread's value k ^ kDiffer; threads that load their own values have one order.
template <int kMask>
__device__ void butterfly_with_neighbour(float (&x)[kRow], Order<kMask>) {
  constexpr int kDiffer = kMask & -kMask;
  const float sign = (threadIdx.x & 1) != 0 ? -1.0f : 1.0f;
  if (moves_sectors()) {
#pragma unroll
    for (int k = 0; k < kRow; ++k) {
      x[k] = __fmaf_rn(sign, x[k], __shfl_xor_sync(kAllLanes, x[k], 1));
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < kRow; ++k) {
    if ((k & kDiffer) != 0) continue;
    const float low = __shfl_xor_sync(kAllLanes, x[k | kDiffer], 1);
    const float high = __shfl_xor_sync(kAllLanes, x[k], 1);
    x[k] = __fmaf_rn(sign, x[k], low);
    x[k | kDiffer] = __fmaf_rn(sign, x[k | kDiffer], high);
  }
}

// 16 codes of 4 bits from the elements' order to a thread's, or back.
template <int kMask>
__device__ uint2 in_order(const uint2& codes, Order<kMask> order) {
  if constexpr (kMask == 0) return codes;
  // Bytes 2 i and 2 i + 1 are half i, of 4 codes.
  const unsigned halves = 0x2222u * (order.flip / 4);
  return make_uint2(__byte_perm(codes.x, codes.y, 0x3210u ^ halves),
                    __byte_perm(codes.x, codes.y, 0x7654u ^ halves));
}

}  // namespace codecs::cuda
