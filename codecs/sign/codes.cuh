// SPDX-License-Identifier: Apache-2.0
// A strip's signs as bits and back.
#pragma once

#include "codecs/cuda/sums.cuh"

namespace codecs::cuda {

// Transposes the 4 x 4 half-words that 4 neighbouring lanes hold: before, lane q has the 16 bits of
// its own values in each of 4 tiles; after, the 64 bits that the 4 lanes have of tile q, in order.
// It is its own inverse.
__device__ inline uint2 transpose_halves(uint2 v) {
  const bool upper2 = (threadIdx.x & 2) != 0;
  const std::uint32_t pair = __shfl_xor_sync(kAllLanes, upper2 ? v.x : v.y, 2);
  v = upper2 ? make_uint2(pair, v.y) : make_uint2(v.x, pair);
  const bool upper1 = (threadIdx.x & 1) != 0;
  // Selectors of __byte_perm(a, b): 0x5410 joins the low halves, 0x7632 the high ones.
  const std::uint32_t sent = __byte_perm(v.x, v.y, upper1 ? 0x5410u : 0x7632u);
  const std::uint32_t got = __shfl_xor_sync(kAllLanes, sent, 1);
  return upper1 ? make_uint2(__byte_perm(got, v.x, 0x7610u), __byte_perm(got, v.y, 0x7632u))
                : make_uint2(__byte_perm(v.x, got, 0x5410u), __byte_perm(v.y, got, 0x7610u));
}

// Of the lane's 8 bytes of a strip's 256, after the transposition.
__device__ inline std::size_t bits_offset(std::size_t strip) {
  const unsigned lane = threadIdx.x % kWarpLanes;
  return strip / 8 + (lane % 4) * (kTileElements / 8) + lane / 4 * sizeof(uint2);
}

__device__ inline std::uint32_t sign_bits(const float (&x)[kLaneElements]) {
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    const std::uint32_t negative = x[i] < 0 ? 1u : 0u;
    bits |= negative << i;
  }
  return bits;
}

// +scale, or -scale where bit i is set.
__device__ inline float signed_scale(std::uint32_t bits, int i, float scale) {
  return __uint_as_float(__float_as_uint(scale) ^ (bits << (31 - i) & 0x80000000u));
}

}  // namespace codecs::cuda
