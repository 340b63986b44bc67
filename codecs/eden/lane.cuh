// SPDX-License-Identifier: Apache-2.0
// EDEN's 16 codes of a thread: quantisation, packing, and the sums over a group. The arithmetic is
// that of codecs/eden/reference.cpp, operation by operation.
#pragma once

#include <utility>

#include "codecs/cuda/rotate.cuh"
#include "codecs/eden/eden.hpp"

namespace codecs::cuda {

// Sizes and offsets of a wire.
struct EdenShape {
  std::size_t wire_bytes = 0;
  std::size_t scales = 0;  // offset
  std::size_t groups = 0;
};

// As constants of their own: an array's operator is a function of the host.
template <int kBits>
constexpr float centroid(int index) {
  const auto at = static_cast<std::size_t>(index);
  switch (kBits) {
    case 1:
      return kLloydMax1.at(at);
    case 2:
      return kLloydMax2.at(at);
    case 3:
      return kLloydMax3.at(at);
    default:
      return kLloydMax4.at(at);
  }
}
template <int kBits, int kIndex>
inline constexpr float kCentroid = centroid<kBits>(kIndex);
// Between centroids kIndex and kIndex + 1.
template <int kBits, int kIndex>
inline constexpr float kThreshold = (centroid<kBits>(kIndex) + centroid<kBits>(kIndex + 1)) / 2;

template <int kBits, int... kIndices>
__device__ float centroid_at(int index, std::integer_sequence<int, kIndices...>) {
  float found = 0;
  ((found = index == kIndices ? kCentroid<kBits, kIndices> : found), ...);
  return found;
}

// By the code: magnitude in the low bits, the sign above.
inline constexpr int kEdenLevels = 16;
template <int kBits>
__device__ void fill_levels(float* levels) {
  constexpr int kHalf = 1 << (kBits - 1);
  const int code = static_cast<int>(threadIdx.x);
  if (code >= 2 * kHalf) return;
  const float level = centroid_at<kBits>(code % kHalf, std::make_integer_sequence<int, kHalf>{});
  levels[code] = code < kHalf ? level : -level;
}

// How many thresholds the magnitude is above, by bisection.
template <int kBits>
__device__ std::uint32_t nearest_centroid(float magnitude) {
  if constexpr (kBits == 1) return 0;
  if constexpr (kBits == 2) return magnitude > kThreshold<2, 0>;
  if constexpr (kBits == 3) {
    const bool high = magnitude > kThreshold<3, 1>;
    const bool low = magnitude > (high ? kThreshold<3, 2> : kThreshold<3, 0>);
    return (high ? 2u : 0u) | (low ? 1u : 0u);
  }
  if constexpr (kBits == 4) {
    const bool high = magnitude > kThreshold<4, 3>;
    const float below = high ? kThreshold<4, 4> : kThreshold<4, 0>;
    const float above = high ? kThreshold<4, 6> : kThreshold<4, 2>;
    const bool middle = magnitude > (high ? kThreshold<4, 5> : kThreshold<4, 1>);
    const bool low = magnitude > (middle ? above : below);
    return (high ? 4u : 0u) | (middle ? 2u : 0u) | (low ? 1u : 0u);
  }
}

// Code k of a word is in the bits from k * kBits on: words[0] holds the first 8 of 4 bits or all
// magnitudes of 3 bits, and words[1] the rest.
template <int kBits>
__device__ void put_code(std::uint32_t code, int k, std::uint32_t (&words)[2]) {
  if constexpr (kBits == 3) {
    words[0] |= (code & 3u) << (2 * k);
    words[1] |= code >> 2 << k;
  } else {
    words[k * kBits / 32] |= code << (k * kBits % 32);
  }
}

template <int kBits>
__device__ std::uint32_t get_code(const std::uint32_t (&words)[2], int k) {
  if constexpr (kBits == 3) {
    return (words[0] >> (2 * k) & 3u) | (words[1] >> k & 1u) << 2;
  } else {
    return words[k * kBits / 32] >> (k * kBits % 32) & ((1u << kBits) - 1u);
  }
}

// Word t of the codes of a group of kBlock, which begin at `codes`.
template <int kBits, int kBlock>
__device__ void store_word_of_codes(const std::uint32_t (&words)[2], int t, std::byte* codes) {
  if constexpr (kBits == 1) {
    reinterpret_cast<std::uint16_t*>(codes)[t] = static_cast<std::uint16_t>(words[0]);
  }
  if constexpr (kBits == 2 || kBits == 3) reinterpret_cast<std::uint32_t*>(codes)[t] = words[0];
  if constexpr (kBits == 3) {
    reinterpret_cast<std::uint16_t*>(codes + kBlock / 4)[t] = static_cast<std::uint16_t>(words[1]);
  }
  if constexpr (kBits == 4) reinterpret_cast<uint2*>(codes)[t] = make_uint2(words[0], words[1]);
}

template <int kBits, int kBlock>
__device__ void load_word_of_codes(const std::byte* codes, int t, std::uint32_t (&words)[2]) {
  words[1] = 0;
  if constexpr (kBits == 1) words[0] = __ldg(reinterpret_cast<const std::uint16_t*>(codes) + t);
  if constexpr (kBits == 2 || kBits == 3) {
    words[0] = __ldg(reinterpret_cast<const std::uint32_t*>(codes) + t);
  }
  if constexpr (kBits == 3) {
    words[1] = __ldg(reinterpret_cast<const std::uint16_t*>(codes + kBlock / 4) + t);
  }
  if constexpr (kBits == 4) {
    const uint2 both = __ldg(reinterpret_cast<const uint2*>(codes) + t);
    words[0] = both.x;
    words[1] = both.y;
  }
}

// The sum of the group's threads' `partial`, in every one of them. `sums` has a float for each
// warp.
template <int kLog>
__device__ float group_sum(float partial, float* sums) {
  constexpr int kLanes = RotationTile<kLog>::kLanes;
#pragma unroll
  for (int stride = 1; stride < kLanes && stride < kWarpLanes; stride *= 2) {
    partial += __shfl_xor_sync(kAllLanes, partial, stride);
  }
  if constexpr (kLanes > kWarpLanes) {
    constexpr int kWarps = kLanes / kWarpLanes;
    const int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
    if (threadIdx.x % kWarpLanes == 0) sums[warp] = partial;
    __syncthreads();
    const float* const own = sums + warp / kWarps * kWarps;
    partial = own[0];
#pragma unroll
    for (int i = 1; i < kWarps; ++i) partial += own[i];
  }
  return partial;
}

// The largest of the group, of the largest of each thread. Between writing and reading a
// __syncthreads() of the caller.
template <int kLog>
__device__ std::uint32_t share_largest(std::uint32_t bits, std::uint32_t* largest) {
  constexpr int kLanes = RotationTile<kLog>::kLanes;
  bits = max_over_lanes<(kLanes < kWarpLanes ? kLanes : kWarpLanes)>(bits);
  if (threadIdx.x % kWarpLanes == 0) largest[threadIdx.x / kWarpLanes] = bits;
  return bits;
}

template <int kLog>
__device__ std::uint32_t shared_largest(std::uint32_t bits, const std::uint32_t* largest) {
  constexpr int kWarps = RotationTile<kLog>::kLanes / kWarpLanes;
  if constexpr (kWarps > 1) {
    const std::uint32_t* const own = largest + threadIdx.x / kWarpLanes / kWarps * kWarps;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) bits = max(bits, own[i]);
  }
  return bits;
}

}  // namespace codecs::cuda
