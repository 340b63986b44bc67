// SPDX-License-Identifier: Apache-2.0
// The sums of codecs/sums/sums.hpp by warps, and strips: 4 tiles that a warp holds at once, so that
// 1-bit codes still make full stores and every thread has many loads in flight.
#pragma once

#include "codecs/cuda/launch.cuh"
#include "codecs/sums/sums.hpp"

namespace codecs::cuda {

inline constexpr int kStripTiles = 4;
inline constexpr int kStripElements = kStripTiles * kTileElements;
static_assert(kStripElements == kSumStrip && kTileElements == kSumTile);

__device__ inline std::size_t strip_of_warp() {
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  return warp * kStripElements;
}

__device__ inline float sum_lane(const float (&x)[kLaneElements], Term term) {
  float sum = 0;
  if (term == Term::square) {
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) sum = __fmaf_rn(x[i], x[i], sum);
  } else if (term == Term::magnitude) {
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) sum += fabsf(x[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) sum += x[i];
  }
  return sum;
}

// Over every `lanes` neighbours, a power of two; all of them get the sum.
__device__ inline float sum_over_lanes(float term, int lanes) {
#pragma unroll
  for (int stride = 1; stride < kWarpLanes; stride *= 2) {
    const float other = __shfl_xor_sync(kAllLanes, term, stride);
    if (stride < lanes) term += other;
  }
  return term;
}

__device__ inline float sum_strip(const float (&x)[kStripTiles][kLaneElements], Term term) {
  float sum = 0;
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) sum += sum_over_lanes(sum_lane(x[t], term), kWarpLanes);
  return sum;
}

// The tensor's sum of what sum_strip() gave for each strip. All threads of a block of kSumTerms
// must call; all get the sum.
__device__ inline float sum_over_strips(const float* sums, std::size_t strips) {
  __shared__ float warps[kWarpLanes];
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < strips; i += kSumTerms) sum += sums[i];
  sum = sum_over_lanes(sum, kWarpLanes);
  if (threadIdx.x % kWarpLanes == 0) warps[threadIdx.x / kWarpLanes] = sum;
  __syncthreads();
  sum = sum_over_lanes(warps[threadIdx.x % kWarpLanes], kWarpLanes);
  __syncthreads();
  return sum;
}

inline std::size_t strips_of(std::size_t elements) {
  return elements / kStripElements + (elements % kStripElements != 0 ? 1 : 0);
}

__device__ inline bool has_nonfinite(const float (&x)[kStripTiles][kLaneElements]) {
  std::uint32_t bits = 0;
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) bits = max(bits, magnitude_bits(x[t]));
  return bits >= kInfinityBits;
}

}  // namespace codecs::cuda
