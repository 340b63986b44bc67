// SPDX-License-Identifier: Apache-2.0
// The rotation of codecs/rotation/rotation.hpp in the registers of a block of threads. A thread
// holds 2^H values: those whose indices have all values of H neighbouring bits. It goes through
// these bits' strides alone, and hands its values on through shared memory for the next H bits.
//
// "Held from bit h": value k of thread t is element (t >> h) << (h + H) | k << h | t % 2^h of the
// block of threads. From bit 0 they are 2^H consecutive ones; after a rotation of 2^L they are held
// from bit L - H: t, t + 2^L / 2^H ...
//
// Each value goes through shared memory once for each H bits, without bank conflicts: shuffles
// would take as much of it for every single bit. A thread with 64 values thus hands them on once in
// blocks of 4096; with 16, it has less to keep in registers.
#pragma once

#include "codecs/cuda/rows.cuh"
#include "codecs/cuda/tuning.hpp"
#include "codecs/rotation/rotation.hpp"

namespace codecs::cuda {

// A block of threads that rotates blocks of 2^kLog values, 2^kHeldLog in each thread.
template <int kLogOf, int kHeldLogOf = 4>
struct RotationTile {
  static constexpr int kLog = kLogOf;
  static constexpr int kHeldLog = kHeldLogOf;
  static_assert(kLog >= kHeldLog && kLog <= 13 && kHeldLog >= 4);
  static constexpr int kBlock = 1 << kLog;
  static constexpr int kHeld = 1 << kHeldLog;    // values of a thread
  static constexpr int kLanes = kBlock / kHeld;  // threads that rotate together
  static constexpr int kElements = kBlock > kRotationElements ? kBlock : kRotationElements;
  static constexpr int kThreads = kElements / kHeld;
  static constexpr int kDraws = kElements / static_cast<int>(kSignsPerDraw) + 1;
  static constexpr int kTop = kLog - kHeldLog;  // a rotated value's thread holds from this bit
  static constexpr int kExchange = kElements / kHeld * (kHeld + 1);  // floats of shared memory
};

template <typename Tile>
__device__ void rotation_barrier() {
  if constexpr (Tile::kLanes <= kWarpLanes) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

// The element that is held from kFrom as value 0; value k is k << kFrom further.
template <typename Tile, int kFrom>
__device__ unsigned first_held() {
  constexpr unsigned kBelow = (1u << kFrom) - 1;
  return (threadIdx.x & ~kBelow) << Tile::kHeldLog | (threadIdx.x & kBelow);
}

// Where an element is in shared memory: threads of a warp begin in different banks. So 2^H consecutive
// elements of a thread take a word more; and where each thread strides, 2^(2 H) of them take 2^H
// more, as fewer than a warp's threads may be neighbours. Of elements without a common bit the sum's
// place is the sum of their places: a thread computes one, and its values are at constant distances
// from there.
template <typename Tile, bool kConsecutive>
__device__ unsigned exchange_place(unsigned element) {
  return kConsecutive ? element + (element >> Tile::kHeldLog)
                      : element + (element >> 2 * Tile::kHeldLog << Tile::kHeldLog);
}

// The places of a thread's values that are held from kFrom. `order` (rows.cuh) moves values by bits 2
// and 3 of their numbers, so that there are four addresses to compute.
template <typename Tile, int kFrom, bool kConsecutive>
struct HeldPlaces {
  float* quarters[4];

  template <int kMask>
  __device__ HeldPlaces(float* exchange, Order<kMask> order) {
    static_assert(kMask == 0 || kFrom == 0);
    float* const first = exchange + exchange_place<Tile, kConsecutive>(first_held<Tile, kFrom>());
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      quarters[q] = first + exchange_place<Tile, kConsecutive>((4 * q ^ order.flip) << kFrom);
    }
  }
  __device__ float& operator[](unsigned k) const {
    return quarters[k / 4 % 4][exchange_place<Tile, kConsecutive>((k & ~12u) << kFrom)];
  }
};

// From held from kFrom to held from kTo; `order` is that of the values held from bit 0. A barrier
// must come between two calls.
template <typename Tile, int kFrom, int kTo, int kMask = 0>
__device__ void regroup(float (&x)[Tile::kHeld], float* exchange, Order<kMask> order = {}) {
  constexpr bool kConsecutive = kFrom == 0 || kTo == 0;
  const HeldPlaces<Tile, kFrom, kConsecutive> from(exchange, order_of<kFrom == 0>(order));
  const HeldPlaces<Tile, kTo, kConsecutive> to(exchange, order_of<kTo == 0>(order));
#pragma unroll
  for (unsigned k = 0; k < Tile::kHeld; ++k) from[k] = x[k];
  rotation_barrier<Tile>();
#pragma unroll
  for (unsigned k = 0; k < Tile::kHeld; ++k) x[k] = to[k];
}

// Where a thread has a pair the other way round, it adds and subtracts so by multiplying by -1,
// which is exact.
template <int kHeld, int kMask>
__device__ void butterfly(float (&x)[kHeld], int stride, Order<kMask> order) {
  const float sign = (order.flip & static_cast<unsigned>(stride)) != 0 ? -1.0f : 1.0f;
#pragma unroll
  for (int k = 0; k < kHeld; ++k) {
    if ((k & stride) != 0) continue;
    const float a = x[k], b = x[k | stride];
    if ((kMask & stride) != 0) {
      x[k] = __fmaf_rn(sign, a, b);
      x[k | stride] = __fmaf_rn(-sign, b, a);
    } else {
      x[k] = a + b;
      x[k | stride] = a - b;
    }
  }
}

// From bit 0 to the top, strides ascending. kDone bits are done. `order` is that of the values that
// come.
template <typename Tile, int kDone = 0, int kMask = 0>
__device__ void rotate_lane(float (&x)[Tile::kHeld], float* exchange, Order<kMask> order = {}) {
  constexpr int kBits = Tile::kHeldLog;
  constexpr int kFrom = kDone < Tile::kTop ? kDone : Tile::kTop;
  if constexpr (kDone > kBits) rotation_barrier<Tile>();
  if constexpr (kDone > 0) {
    regroup<Tile, kDone - kBits, kFrom>(x, exchange, order_of<kDone == kBits>(order));
  }
#pragma unroll
  for (int bit = kDone - kFrom; bit < kBits; ++bit) {
    butterfly(x, 1 << bit, order_of<kDone == 0>(order));
  }
  if constexpr (kDone + kBits < Tile::kLog) rotate_lane<Tile, kDone + kBits>(x, exchange, order);
}

template <typename Tile>
inline constexpr int kLastStep = (Tile::kLog - 1) / Tile::kHeldLog* Tile::kHeldLog;

// From the top to bit 0, strides descending. The bits below kLeft are left to be done after these.
// `order` is that of the values that are left.
template <typename Tile, int kLeft, int kMask>
__device__ void rotate_lane_back_from(float (&x)[Tile::kHeld], float* exchange,
                                      Order<kMask> order) {
  constexpr int kBits = Tile::kHeldLog;
  constexpr int kFrom = kLeft < Tile::kTop ? kLeft : Tile::kTop;
#pragma unroll
  for (int bit = kBits - 1; bit >= kLeft - kFrom; --bit) {
    butterfly(x, 1 << bit, order_of<kLeft == 0>(order));
  }
  if constexpr (kLeft > 0) {
    if constexpr (kLeft < kLastStep<Tile>) rotation_barrier<Tile>();
    regroup<Tile, kFrom, kLeft - kBits>(x, exchange, order_of<kLeft == kBits>(order));
    rotate_lane_back_from<Tile, kLeft - kBits>(x, exchange, order);
  }
}
template <typename Tile, int kMask = 0>
__device__ void rotate_lane_back(float (&x)[Tile::kHeld], float* exchange,
                                 Order<kMask> order = {}) {
  rotate_lane_back_from<Tile, kLastStep<Tile>>(x, exchange, order);
}

}  // namespace codecs::cuda
