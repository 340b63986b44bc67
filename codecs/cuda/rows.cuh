// SPDX-License-Identifier: Apache-2.0
// Rows: as many consecutive values in every thread, a multiple of 16. A thread loads its own where it
// moves sectors (instructions.cuh). Elsewhere threads fetch 16-byte vectors for each other, and each keeps
// what it gets in an order of its own: what a thread fetches in its s-th load goes to the thread whose number
// differs by s, where it is the s-th again. Every shuffle then moves the same register of all threads, and
// nothing has to be chosen. A request thus takes halves of sectors, of different rows; the other halves
// follow in the next.
#pragma once

#include "codecs/cuda/lane.cuh"

namespace codecs::cuda {

// Value k of a row is its element k ^ flip; flip has bits of kMask alone, which are among 4 and 8.
template <int kMask>
struct Order {
  static_assert((kMask & ~12) == 0);
  unsigned flip = 0;
};

// `order`, or where kApplies is false that of the elements themselves.
template <bool kApplies, int kMask>
__device__ Order<kApplies ? kMask : 0> order_of(Order<kMask> order) {
  return {kApplies ? order.flip : 0u};
}

// Threads that fetch 16 values of each of them together.
template <typename Value>
inline constexpr int kSharers = kLaneElements / kPerVector<Value>;

template <typename Value>
using RowOrder = Order<(kSharers<Value> - 1) * kPerVector<Value>>;

template <typename Value>
__device__ RowOrder<Value> row_order(const Value*) {
  return {moves_sectors() ? 0u : threadIdx.x % kSharers<Value> * kPerVector<Value>};
}

// The vectors of kChunks times 16 values, in the order of the thread that fetches or stores them.
template <typename Value, int kChunks>
struct RowVectors {
  uint4 vectors[kChunks][kSharers<Value>];

  // Element of the first vector of turn s, of rows that begin at `first`.
  static __device__ std::size_t index(std::size_t first, int s) {
    if (moves_sectors()) {
      return first + threadIdx.x * (kChunks * kLaneElements) +
             static_cast<unsigned>(s * kPerVector<Value>);
    }
    const unsigned row = threadIdx.x ^ static_cast<unsigned>(s);
    return first + row * (kChunks * kLaneElements) +
           threadIdx.x % kSharers<Value> * kPerVector<Value>;
  }

  // To the threads that they are of, and back.
  __device__ void hand_over() {
    if (moves_sectors()) return;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int s = 1; s < kSharers<Value>; ++s) vectors[c][s] = shuffle_xor(vectors[c][s], s);
    }
  }
};

// The thread's row of those from `first` on; zeros from `elements` on. kBlockElements: of all
// threads of the block, which must all call.
template <int kBlockElements, typename Value, int kHeld>
__device__ void load_row(const Value* values, std::size_t elements, std::size_t first,
                         float (&x)[kHeld]) {
  constexpr int kChunks = kHeld / kLaneElements;
  using Vectors = RowVectors<Value, kChunks>;
  Vectors row;
  const bool whole = first + kBlockElements <= elements;
  const bool sectors = whole && moves_sectors_of(values);
#pragma unroll
  for (int s = 0; s < kSharers<Value>; ++s) {
    const std::size_t index = Vectors::index(first, s);
    if (sectors) {
      if (s % 2 != 0) continue;
      const auto* const own = reinterpret_cast<const Sector*>(values + index);
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        const Sector sector = own[c * kSharers<Value> / 2];
        row.vectors[c][s] = sector.low;
        row.vectors[c][s + 1] = sector.high;
      }
    } else if (whole) {
      const auto* const own = reinterpret_cast<const uint4*>(values + index);
#pragma unroll
      for (int c = 0; c < kChunks; ++c) row.vectors[c][s] = own[c * kSharers<Value>];
    } else {
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        row.vectors[c][s] = load_vector(values, elements, index + c * kLaneElements);
      }
    }
  }
  row.hand_over();
#pragma unroll
  for (int v = 0; v < kHeld / kPerVector<Value>; ++v) {
    unpack<Value>(row.vectors[v / kSharers<Value>][v % kSharers<Value>], x + v * kPerVector<Value>);
  }
}

// The other way: from values in the order of row_order().
template <int kBlockElements, typename Value, int kHeld>
__device__ void store_row(const float (&x)[kHeld], std::size_t elements, std::size_t first,
                          Value* values) {
  constexpr int kChunks = kHeld / kLaneElements;
  using Vectors = RowVectors<Value, kChunks>;
  Vectors row;
#pragma unroll
  for (int v = 0; v < kHeld / kPerVector<Value>; ++v) {
    row.vectors[v / kSharers<Value>][v % kSharers<Value>] = pack<Value>(x + v * kPerVector<Value>);
  }
  row.hand_over();
  const bool whole = first + kBlockElements <= elements;
  const bool sectors = whole && moves_sectors_of(values);
#pragma unroll
  for (int s = 0; s < kSharers<Value>; ++s) {
    const std::size_t index = Vectors::index(first, s);
    if (sectors) {
      if (s % 2 != 0) continue;
      auto* const own = reinterpret_cast<Sector*>(values + index);
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        own[c * kSharers<Value> / 2] = {row.vectors[c][s], row.vectors[c][s + 1]};
      }
    } else if (whole) {
      auto* const own = reinterpret_cast<uint4*>(values + index);
#pragma unroll
      for (int c = 0; c < kChunks; ++c) own[c * kSharers<Value>] = row.vectors[c][s];
    } else {
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        store_vector(row.vectors[c][s], elements, index + c * kLaneElements, values);
      }
    }
  }
}

}  // namespace codecs::cuda
