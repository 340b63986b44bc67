// SPDX-License-Identifier: Apache-2.0
// A chunk's values among the threads of a block.
#pragma once

#include "codecs/tiles/tiles.cuh"

namespace codecs::cuda {

// A block's share of a chunk: vectors of 4 values, one from each of the rows that the block spans.
template <int kChunk>
struct ChunkBlock {
  static constexpr int kThreads = kChunk / 4 < 256 ? kChunk / 4 : 256;
  static constexpr int kVectors = kChunk / (4 * kThreads);
  static constexpr int kValues = 4 * kVectors;
  static constexpr int kMostKept = kChunk / 8 > 64 ? kChunk / 8 : 64;

  // Index in the chunk of this thread's value i.
  static __device__ unsigned index(int i) {
    return static_cast<unsigned>(i / 4 * 4 * kThreads + i % 4) + 4 * threadIdx.x;
  }
  // Of this thread's vectors.
  static __device__ Places places() { return {.first = 4 * threadIdx.x, .stride = 4 * kThreads}; }
};

}  // namespace codecs::cuda
