// SPDX-License-Identifier: Apache-2.0
// Enumerated indices (codecs/subsets/subsets.hpp). To encode, a warp ranks the members of a chunk each by
// itself: at most 64 factors of a number of 16 words, in each of two rounds. To decode, a thread walks
// down the numbers of its chunk, one step of a few instructions a word each: as many as the chunk has
// elements, one after the other. Neither reads memory but for the wire.
#pragma once

#include "codecs/sparse/records.cuh"
#include "codecs/subsets/subsets.cuh"
#include "codecs/top_k/encode.cuh"

namespace codecs::cuda {

inline constexpr unsigned kMostRanked = 64;  // members of a chunk

// The sum of all lanes' numbers, for every lane.
__device__ inline void sum_over_warp(unsigned (&x)[kSubsetWords]) {
#pragma unroll
  for (int stride = 1; stride < kWarpLanes; stride *= 2) {
    unsigned other[kSubsetWords];
#pragma unroll
    for (int w = 0; w < kSubsetWords; ++w) other[w] = __shfl_xor_sync(kAllLanes, x[w], stride);
    add_to(x, other);
  }
}

// Adds a number to words that hold zeros where it goes, from bit `first` on; by a warp. Neighbours may
// share a word.
__device__ inline void put_number(const unsigned (&x)[kSubsetWords], std::size_t first,
                                  unsigned* words) {
  const unsigned lane = threadIdx.x % kWarpLanes;
  unsigned low = 0, high = 0;
#pragma unroll
  for (unsigned w = 0; w < kSubsetWords; ++w) {
    if (w + 1 == lane) low = x[w];
    if (w == lane) high = x[w];
  }
  const unsigned bits = __funnelshift_l(low, high, static_cast<unsigned>(first % 32));
  if (bits != 0) atomicOr(words + first / 32 + lane, bits);
}

// Of the indices that top_k_kernel left in scratch. A warp takes a chunk.
static __global__ void __launch_bounds__(kThreadsPerBlock)
    rank_kernel(SparseShape shape, const std::uint16_t* indices, std::byte* wire) {
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const unsigned count = kept_in(shape, chunk);
  unsigned rank[kSubsetWords] = {};
  for (unsigned e = threadIdx.x % kWarpLanes; e < count; e += kWarpLanes) {
    unsigned sets[kSubsetWords];
    binomial(indices[chunk * shape.keep + e], e + 1, sets);
    add_to(rank, sets);
  }
  sum_over_warp(rank);
  put_number(rank, chunk * shape.rank_bits, reinterpret_cast<unsigned*>(wire + shape.indices));
}

// The walk of a chunk's rank on the wire.
__device__ inline SubsetWalk walk_of(const SparseShape& shape, const std::byte* wire,
                                     std::size_t chunk) {
  const bool last = chunk + 1 == shape.chunks;
  const unsigned elements = last ? shape.last_elements : shape.chunk_elements;
  const unsigned bits = last ? shape.last_rank_bits : shape.rank_bits;
  const std::size_t first = chunk * shape.rank_bits;
  const auto* words = reinterpret_cast<const unsigned*>(wire + shape.indices) + first / 32;
  SubsetWalk walk{.number = elements - 1, .left = kept_in(shape, chunk)};
  binomial(walk.number, walk.left, walk.below);
#pragma unroll
  for (unsigned w = 0; w < kSubsetWords; ++w) {
    walk.rank[w] = 0;
    if (32 * w >= bits) continue;
    // The codes follow, so that there is a next word.
    walk.rank[w] = __funnelshift_r(words[w], words[w + 1], static_cast<unsigned>(first % 32));
    if (bits - 32 * w < 32) walk.rank[w] &= (1u << (bits - 32 * w)) - 1u;
  }
  return walk;
}

inline constexpr unsigned kSumWires = 4;  // at a time, a warp each

// Adds wires to sums that are zeros; a block takes 32 chunks, and a lane one of them. Each wire's sets
// are found at the same time and added in the order of the wires.
static __global__ void __launch_bounds__(kSumWires* kWarpLanes)
    enumerated_sum_kernel(SparseShape shape, Wires wires, TileMap tiles, float* sums) {
  __shared__ std::uint16_t found[kSumWires][kMostRanked][kWarpLanes];
  const unsigned warp = threadIdx.x / kWarpLanes, lane = threadIdx.x % kWarpLanes;
  const unsigned at_a_time = blockDim.x / kWarpLanes, inputs = static_cast<unsigned>(wires.inputs);
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpLanes + lane;
  const unsigned count = chunk < shape.chunks ? kept_in(shape, chunk) : 0;
  for (unsigned first = 0; first < inputs; first += at_a_time) {
    const unsigned wire = first + warp;
    SubsetWalk walk{};
    if (count > 0 && wire < inputs) walk = walk_of(shape, wires.bytes + wire * shape.bytes, chunk);
    walk_subset(walk, [&](unsigned place, unsigned number) {
      found[warp][place][lane] = static_cast<std::uint16_t>(number);
    });
    __syncthreads();
    for (unsigned turn = 0; turn < at_a_time && first + turn < inputs; ++turn) {
      if (count > 0) {
        const std::byte* const bytes = wires.bytes + (first + turn) * shape.bytes;
        const ValueCoder coder = chunk_coder(shape, bytes, chunk);
        float* const tile = sums + tiles.first(static_cast<unsigned>(chunk));
        for (unsigned e = warp; e < count; e += at_a_time) {
          tile[tiles.offset(found[turn][e][lane])] += load_value(shape, bytes, chunk, coder, e);
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace codecs::cuda
