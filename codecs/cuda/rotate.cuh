// SPDX-License-Identifier: Apache-2.0
// The rotation of codecs/rotation/rotation.hpp in the registers of a block of threads. A thread
// holds 16 values: those whose indices have all values of 4 neighbouring bits. It goes through
// these bits' strides alone, and hands its values on through shared memory for the next 4 bits.
//
// "Held from bit h": value k of thread t is element (t >> h) << (h + 4) | k << h | t % 2^h of the
// block of threads. From bit 0 they are 16 consecutive ones, as in lane.cuh; after a rotation of
// 2^L they are held from bit L - 4: t, t + 2^L / 16 ...
//
// Each value goes through shared memory once for each 4 bits, without bank conflicts: shuffles
// would take as much of it for every single bit.
#pragma once

#include "codecs/cuda/lane.cuh"
#include "codecs/cuda/random.cuh"
#include "codecs/cuda/tuning.hpp"
#include "codecs/rotation/rotation.hpp"

namespace codecs::cuda {

// A block of threads that rotates blocks of 2^kLog values.
template <int kLog>
struct RotationTile {
  static_assert(kLog >= 4 && kLog <= 13);
  static constexpr int kBlock = 1 << kLog;
  static constexpr int kLanes = kBlock / kLaneElements;  // threads that rotate together
  static constexpr int kThreads = kLanes > kRotationThreads ? kLanes : kRotationThreads;
  static constexpr int kElements = kThreads * kLaneElements;
  static constexpr int kDraws = kElements / static_cast<int>(kSignsPerDraw) + 1;
  static constexpr int kTop = kLog - 4;  // a rotated value's thread holds from this bit
  static constexpr int kExchange = kElements / 16 * 17;  // floats of shared memory
};

template <int kLog>
__device__ void rotation_barrier() {
  if constexpr (RotationTile<kLog>::kLanes <= kWarpLanes) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

// The element that is held from kFrom as value 0; value k is k << kFrom further.
template <int kFrom>
__device__ unsigned first_held() {
  constexpr unsigned kBelow = (1u << kFrom) - 1;
  return (threadIdx.x & ~kBelow) << 4 | (threadIdx.x & kBelow);
}

// Where an element is in shared memory. 16 consecutive elements of a thread take 17 words, so that
// threads of a warp begin in different banks; where each thread strides, 16 words for each 256 do.
// Of elements without a common bit the sum's place is the sum of their places: a thread computes
// one, and its values are at constant distances from there.
template <bool kConsecutive>
__device__ unsigned exchange_place(unsigned element) {
  return kConsecutive ? element + element / 16 : element + element / 256 * 16;
}

// From held from kFrom to held from kTo. A barrier must come between two calls.
template <int kLog, int kFrom, int kTo>
__device__ void regroup(float (&x)[kLaneElements], float* exchange) {
  constexpr bool kConsecutive = kFrom == 0 || kTo == 0;
  float* const from = exchange + exchange_place<kConsecutive>(first_held<kFrom>());
  const float* const to = exchange + exchange_place<kConsecutive>(first_held<kTo>());
#pragma unroll
  for (unsigned k = 0; k < kLaneElements; ++k)
    from[exchange_place<kConsecutive>(k << kFrom)] = x[k];
  rotation_barrier<kLog>();
#pragma unroll
  for (unsigned k = 0; k < kLaneElements; ++k) x[k] = to[exchange_place<kConsecutive>(k << kTo)];
}

__device__ inline void butterfly(float (&x)[kLaneElements], int stride) {
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) {
    if ((k & stride) != 0) continue;
    const float a = x[k], b = x[k | stride];
    x[k] = a + b;
    x[k | stride] = a - b;
  }
}

// From bit 0 to the top, strides ascending. kDone bits are done.
template <int kLog, int kDone = 0>
__device__ void rotate_lane(float (&x)[kLaneElements], float* exchange) {
  constexpr int kHeld = kDone < kLog - 4 ? kDone : kLog - 4;
  if constexpr (kDone > 4) rotation_barrier<kLog>();
  if constexpr (kDone > 0) regroup<kLog, kDone - 4, kHeld>(x, exchange);
#pragma unroll
  for (int bit = kDone - kHeld; bit < 4; ++bit) butterfly(x, 1 << bit);
  if constexpr (kDone + 4 < kLog) rotate_lane<kLog, kDone + 4>(x, exchange);
}

// From the top to bit 0, strides descending. The bits below kLeft are left to be done after these.
template <int kLog, int kLeft = (kLog - 1) / 4 * 4>
__device__ void rotate_lane_back(float (&x)[kLaneElements], float* exchange) {
  constexpr int kHeld = kLeft < kLog - 4 ? kLeft : kLog - 4;
#pragma unroll
  for (int bit = 3; bit >= kLeft - kHeld; --bit) butterfly(x, 1 << bit);
  if constexpr (kLeft > 0) {
    if constexpr (kLeft < (kLog - 1) / 4 * 4) rotation_barrier<kLog>();
    regroup<kLog, kHeld, kLeft - 4>(x, exchange);
    rotate_lane_back<kLog, kLeft - 4>(x, exchange);
  }
}

// A SignKey as on the wire.
struct Signs {
  std::uint32_t key0 = 0;
  std::uint32_t key1 = 0;
  std::uint64_t first_element = 0;
};

inline Signs signs_of(const SignKey& key) { return {key.key[0], key.key[1], key.first_element}; }

// The random words for the elements of the block of threads, which begins at `first`. To be read
// after __syncthreads().
template <int kLog>
__device__ void draw_signs(const Signs& signs, std::size_t first, uint4* draws) {
  const std::uint64_t draw = (signs.first_element + first) / kSignsPerDraw;
  if (threadIdx.x >= RotationTile<kLog>::kDraws) return;
  draws[threadIdx.x] = draw_block({.key0 = signs.key0, .key1 = signs.key1}, draw + threadIdx.x);
}

// Multiplies values that are held from bit 0 by their signs.
__device__ inline void flip_signs(float (&x)[kLaneElements], const Signs& signs, std::size_t first,
                                  const uint4* draws) {
  // Elements of the first draw before the first of the block of threads: a multiple of 16.
  const auto skipped = static_cast<unsigned>((signs.first_element + first) % kSignsPerDraw);
  const unsigned at = skipped + threadIdx.x * kLaneElements;
  const std::uint32_t bits = reinterpret_cast<const std::uint32_t*>(draws)[at / 32] >> (at % 32);
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) {
    x[k] = __uint_as_float(__float_as_uint(x[k]) ^ (bits << (31 - k) & 0x80000000u));
  }
}

__device__ inline Signs load_signs(const std::byte* wire) {
  const uint4 header = __ldg(reinterpret_cast<const uint4*>(wire));
  return {header.x, header.y, std::uint64_t{header.w} << 32 | header.z};
}

__device__ inline void store_signs(const Signs& signs, std::byte* wire) {
  *reinterpret_cast<uint4*>(wire) =
      make_uint4(signs.key0, signs.key1, static_cast<std::uint32_t>(signs.first_element),
                 static_cast<std::uint32_t>(signs.first_element >> 32));
}

// Whether the thread finds a wire whose signs are not the first one's; together the threads look at
// all.
__device__ inline bool signs_differ(const Signs& signs, const std::byte* wires,
                                    std::size_t wire_bytes, int inputs) {
  bool differ = false;
  for (int i = static_cast<int>(threadIdx.x); i < inputs; i += static_cast<int>(blockDim.x)) {
    const Signs other = load_signs(wires + static_cast<std::size_t>(i) * wire_bytes);
    differ |= other.key0 != signs.key0 || other.key1 != signs.key1 ||
              other.first_element != signs.first_element;
  }
  return differ;
}

}  // namespace codecs::cuda
