// SPDX-License-Identifier: Apache-2.0
// A chunk in the registers of a block, and in its shared memory what is known of the selection.
#pragma once

#include "codecs/tiles/tiles.cuh"

namespace codecs::cuda {

// A block's share of a chunk: vectors of 4 values, one from each of the rows that the block spans.
template <int kChunk>
struct ChunkBlock {
  static constexpr int kThreads = kChunk / 4 < 256 ? kChunk / 4 : 256;
  static constexpr int kVectors = kChunk / (4 * kThreads);
  static constexpr int kValues = 4 * kVectors;
  static constexpr int kWords = kChunk / 32;  // of a bitmap
  static constexpr int kMostKept = kChunk / 8 > 64 ? kChunk / 8 : 64;

  // Index in the chunk of this thread's value i.
  static __device__ unsigned index(int i) {
    return static_cast<unsigned>(i / 4 * 4 * kThreads + i % 4) + 4 * threadIdx.x;
  }
  // Of this thread's vectors.
  static __device__ Places places() { return {.first = 4 * threadIdx.x, .stride = 4 * kThreads}; }
};

inline constexpr unsigned kMostCandidates = 256;
inline constexpr int kCandidatesPerLane = kMostCandidates / kWarpLanes;

// In shared memory.
template <int kChunk>
struct Selection {
  using Block = ChunkBlock<kChunk>;
  float maxima[Block::kThreads];  // of magnitudes
  float candidates[kMostCandidates];
  unsigned selected[Block::kWords];  // bitmap over the chunk
  unsigned ties[Block::kWords];
  unsigned before[Block::kWords];  // selected of lower words
  unsigned counts[2][kWarpLanes];
  unsigned candidate_count;
  unsigned bound;
  unsigned largest;
  float values[Block::kMostKept];
  std::uint16_t indices[Block::kMostKept];
  std::uint16_t candidate_indices[kMostCandidates];
};

__device__ inline unsigned key_of(float x) { return __float_as_uint(x) & 0x7FFFFFFFu; }

__device__ inline void set_bit(unsigned* bitmap, unsigned index) {
  atomicOr(&bitmap[index / 32], 1u << (index % 32));
}

// Adds the `need` lowest ties to the selection; one warp's work.
template <int kChunk>
__device__ void take_ties(unsigned need, Selection<kChunk>& s) {
  unsigned before = 0;
  for (int first = 0; first < ChunkBlock<kChunk>::kWords; first += kWarpLanes) {
    const int w = first + static_cast<int>(threadIdx.x);
    unsigned word = w < ChunkBlock<kChunk>::kWords ? s.ties[w] : 0u;
    const auto own = static_cast<unsigned>(__popc(word));
    unsigned through = own;
#pragma unroll
    for (int stride = 1; stride < kWarpLanes; stride *= 2) {
      const unsigned lower = __shfl_up_sync(kAllLanes, through, stride);
      if (static_cast<int>(threadIdx.x) >= stride) through += lower;
    }
    const unsigned earlier = before + through - own;
    const unsigned take = need > earlier ? need - earlier : 0u;
    while (static_cast<unsigned>(__popc(word)) > take) word ^= 1u << (31 - __clz(word));
    if (w < ChunkBlock<kChunk>::kWords) s.selected[w] |= word;
    before += __shfl_sync(kAllLanes, through, kWarpLanes - 1);
  }
}

// Counts of the bitmap's lower words; one warp's work.
template <int kChunk>
__device__ void count_before(Selection<kChunk>& s) {
  constexpr int kWords = ChunkBlock<kChunk>::kWords;
  constexpr int kPerLane = (kWords + kWarpLanes - 1) / kWarpLanes;
  const int first = static_cast<int>(threadIdx.x) * kPerLane;
  unsigned counts[kPerLane], own = 0;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    counts[i] = first + i < kWords ? static_cast<unsigned>(__popc(s.selected[first + i])) : 0u;
    own += counts[i];
  }
  unsigned through = own;
#pragma unroll
  for (int stride = 1; stride < kWarpLanes; stride *= 2) {
    const unsigned lower = __shfl_up_sync(kAllLanes, through, stride);
    if (static_cast<int>(threadIdx.x) >= stride) through += lower;
  }
  unsigned before = through - own;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    if (first + i < kWords) s.before[first + i] = before;
    before += counts[i];
  }
}

// Puts a selected value where its index belongs.
template <int kChunk>
__device__ void store_selected(float value, unsigned index, Selection<kChunk>& s) {
  const unsigned lower = s.selected[index / 32] & ((1u << (index % 32)) - 1u);
  const unsigned at = s.before[index / 32] + static_cast<unsigned>(__popc(lower));
  s.indices[at] = static_cast<std::uint16_t>(index);
  s.values[at] = value;
}

}  // namespace codecs::cuda
