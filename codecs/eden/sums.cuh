// SPDX-License-Identifier: Apache-2.0
// What a group's threads find together: the sums of eden.hpp in their order, and the largest value.
#pragma once

#include "codecs/eden/lane.cuh"

namespace codecs::cuda {

// The sum over the group's threads of the `partial` of its words in pairs of neighbours, up to runs
// of 32. A thread gets that of the word that is `word_of_sum` of its own: in each step, lanes share
// out their words, until each has one.
template <typename Tile, int kStride = 1, int kCount>
__device__ float sum_neighbours(const float (&partial)[kCount]) {
  if constexpr (kCount > 1) {
    const bool upper = (threadIdx.x & kStride) != 0;
    float half[kCount / 2];
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) {
      const float low = partial[i], high = partial[i + kCount / 2];
      half[i] = (upper ? high : low) + __shfl_xor_sync(kAllLanes, upper ? low : high, kStride);
    }
    return sum_neighbours<Tile, 2 * kStride>(half);
  } else {
    float sum = partial[0];
#pragma unroll
    for (int stride = kStride; stride < Tile::kLanes && stride < kWarpLanes; stride *= 2) {
      sum += __shfl_xor_sync(kAllLanes, sum, stride);
    }
    return sum;
  }
}
template <typename Tile>
__device__ unsigned word_of_sum() {
  const unsigned t = threadIdx.x;
  if constexpr (kEdenWords<Tile> == 1) return 0;
  return kEdenWords<Tile> == 2 ? t % 2 : t % 2 * 2 + t / 2 % 2;
}

// The sum over the group, in the order of eden.hpp, in every one of its threads.
template <typename Tile>
inline constexpr int kEdenRuns = Tile::kThreads / kWarpLanes* kEdenWords<Tile>;  // of all groups
template <typename Tile>
__device__ float group_sum(const float (&partial)[kEdenWords<Tile>],
                           float (&sums)[kEdenRuns<Tile>]) {
  float sum = sum_neighbours<Tile>(partial);
  constexpr int kSums = Tile::kLanes * kEdenWords<Tile>;
  if constexpr (kSums > kWarpLanes) {
    constexpr unsigned kWarps = Tile::kLanes / kWarpLanes;  // of a group
    constexpr unsigned kOwn = kWarps * kEdenWords<Tile>;
    const unsigned warp = threadIdx.x / kWarpLanes;
    float* const own = sums + warp / kWarps * kOwn;
    if (threadIdx.x % kWarpLanes < kEdenWords<Tile>) {
      own[warp % kWarps + word_of_sum<Tile>() * kWarps] = sum;
    }
    rotation_barrier<Tile>();
    sum = own[0];
#pragma unroll
    for (unsigned i = 1; i < kOwn; ++i) sum += own[i];
  }
  return sum;
}

// The largest of the group, of the largest of each thread. Between writing and reading a
// __syncthreads() of the caller.
template <typename Tile>
__device__ std::uint32_t share_largest(std::uint32_t bits, std::uint32_t* largest) {
  if constexpr (Tile::kLanes < kWarpLanes) {
    return max_over_lanes<Tile::kLanes>(bits);
  } else {
    bits = __reduce_max_sync(kAllLanes, bits);
    if (threadIdx.x % kWarpLanes == 0) largest[threadIdx.x / kWarpLanes] = bits;
    return bits;
  }
}

template <typename Tile>
__device__ std::uint32_t shared_largest(std::uint32_t bits, const std::uint32_t* largest) {
  constexpr int kWarps = Tile::kLanes / kWarpLanes;
  if constexpr (kWarps > 1) {
    const std::uint32_t* const own = largest + threadIdx.x / kWarpLanes / kWarps * kWarps;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) bits = max(bits, own[i]);
  }
  return bits;
}

}  // namespace codecs::cuda
