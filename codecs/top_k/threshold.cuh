// SPDX-License-Identifier: Apache-2.0
// The chunk of a warp in shared memory, and the search for the least key that is selected.
#pragma once

#include "codecs/top_k/chunk.cuh"

namespace codecs::cuda {

inline constexpr unsigned kMostCandidates = 256;

// Of the block's only warp.
__device__ inline unsigned lane() { return threadIdx.x % kWarpLanes; }

// One warp's, in shared memory. Each lane owns as many neighbouring vectors of 4 values.
template <int kChunk>
struct Selection {
  static constexpr int kPerLane = kChunk / (4 * kWarpLanes);  // vectors
  static constexpr unsigned kBanks = kPerLane < 8 ? kPerLane : 8;

  uint4 vectors[kChunk / 4];
  std::uint16_t candidates[kMostCandidates];             // numbers of vectors, ascending
  std::uint16_t indices[ChunkBlock<kChunk>::kMostKept];  // selected, ascending

  // Where vector j is. The lanes' vectors of one number, which would share banks, do not, nor do
  // neighbours.
  static __device__ unsigned place(unsigned j) { return j ^ (j / kPerLane % kBanks); }
  // Of the lane's own.
  __device__ const uint4& own(int v) const {
    const auto vector = static_cast<unsigned>(v);
    return vectors[lane() * kPerLane + vector / 8 * 8 + (vector % 8 ^ lane() % kBanks)];
  }
  // Of the lane's of row v, where the whole warp's are neighbours.
  __device__ uint4& in_row(int v) {
    const unsigned row = static_cast<unsigned>(v) * kWarpLanes;
    return vectors[row + (lane() ^ (row + lane()) / kPerLane % kBanks)];
  }
  __device__ float& value(unsigned index) {
    return reinterpret_cast<float*>(vectors + place(index / 4))[index % 4];
  }
};

__device__ inline unsigned key_of(unsigned bits) { return bits & 0x7FFFFFFFu; }
__device__ inline unsigned key_of(float x) { return key_of(__float_as_uint(x)); }

// Of the lanes up to this one.
__device__ inline unsigned sum_through(unsigned own) {
#pragma unroll
  for (int stride = 1; stride < kWarpLanes; stride *= 2) {
    const unsigned lower = __shfl_up_sync(kAllLanes, own, stride);
    if (static_cast<int>(lane()) >= stride) own += lower;
  }
  return own;
}
__device__ inline unsigned of_last_lane(unsigned x) {
  return __shfl_sync(kAllLanes, x, kWarpLanes - 1);
}

// A key, and how many reach it.
struct Threshold {
  unsigned key = 0;
  unsigned reach = 0;
  unsigned above = 0;  // how many reach key + 1, where more than wanted reach key
};

// Raises the threshold until no more than `most` keys reach it, but always `count`; or until all
// that are too many equal it. `high` is above all keys. The first step goes 2^-shift of the way, others half.
template <typename Reach>
__device__ Threshold raise(Threshold low, unsigned high, unsigned count, unsigned most, int shift,
                           Reach reach_of) {
  while (low.reach > most && high - low.key > 1) {
    const unsigned middle = low.key + ((high - low.key) >> shift);
    const unsigned reach = reach_of(middle);
    shift = 1;
    if (reach >= count) {
      low.key = middle;
      low.reach = reach;
    } else {
      high = middle;
      low.above = reach;
    }
  }
  return low;
}

template <int kKeys>
__device__ unsigned largest_of(const unsigned (&keys)[kKeys]) {
  unsigned largest = 0;
#pragma unroll
  for (int i = 0; i < kKeys; ++i) largest = max(largest, keys[i]);
  return __reduce_max_sync(kAllLanes, largest);
}

// The same among keys in the registers of a warp, all below 2^31.
template <int kKeys>
__device__ Threshold raise(const unsigned (&keys)[kKeys], Threshold low, unsigned high,
                           unsigned count, unsigned most, int shift) {
  return raise(low, high, count, most, shift, [&](unsigned key) {
    unsigned reach = 0;
#pragma unroll
    for (int i = 0; i < kKeys; ++i) reach += (key - 1 - keys[i]) >> 31;
    return __reduce_add_sync(kAllLanes, reach);
  });
}

// What is selected: keys from `least` on, and of those one below the `ties` first.
struct Choice {
  unsigned least = 0;
  unsigned ties = 0;
};
__device__ inline Choice choice_at(const Threshold& threshold, unsigned count) {
  if (threshold.reach == count) return {threshold.key, 0};
  return {threshold.key + 1, count - threshold.above};
}

}  // namespace codecs::cuda
