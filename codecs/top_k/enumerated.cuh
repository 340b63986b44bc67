// SPDX-License-Identifier: Apache-2.0
// Enumerated indices (codecs/subsets/subsets.hpp). To encode, a warp ranks the members of a chunk, each
// lane its own, and sums up. To decode, a thread takes one member of its chunk after the other off the
// rank; all lanes of a warp are at the same member, so that what a member costs is the same for all.
#pragma once

#include "codecs/sparse/records.cuh"
#include "codecs/subsets/subsets.cuh"
#include "codecs/top_k/encode.cuh"

namespace codecs::cuda {

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
  for (unsigned first = 0; first < count; first += kWarpLanes) {
    const unsigned e = first + threadIdx.x % kWarpLanes;
    with_subset_words(first + kWarpLanes, [&]<int kWords>(std::integral_constant<int, kWords>) {
      if (e >= count) return;
      unsigned sets[kWords];
      binomial(indices[chunk * shape.keep + e], e + 1, sets);
      add_to(rank, sets);
    });
  }
  sum_over_warp(rank);
  put_number(rank, chunk * shape.rank_bits, reinterpret_cast<unsigned*>(wire + shape.indices));
}

// A chunk's rank on the wire.
__device__ inline void load_rank(const SparseShape& shape, const std::byte* wire, std::size_t chunk,
                                 unsigned (&rank)[kSubsetWords]) {
  const unsigned bits = chunk + 1 == shape.chunks ? shape.last_rank_bits : shape.rank_bits;
  const std::size_t first = chunk * shape.rank_bits;
  const auto* words = reinterpret_cast<const unsigned*>(wire + shape.indices) + first / 32;
#pragma unroll
  for (unsigned w = 0; w < kSubsetWords; ++w) {
    rank[w] = 0;
    if (32 * w >= bits) continue;
    // The codes follow, so that there is a next word.
    rank[w] = __funnelshift_r(words[w], words[w + 1], static_cast<unsigned>(first % 32));
    if (bits - 32 * w < 32) rank[w] &= (1u << (bits - 32 * w)) - 1u;
  }
}

inline constexpr unsigned kSumWires = 4;  // at a time, a warp each

// Adds wires to sums that are zeros; a block takes 32 chunks, and a lane one of them. Each wire's sets
// are found at the same time and added in the order of the wires.
static __global__ void __launch_bounds__(kSumWires* kWarpLanes)
    enumerated_sum_kernel(SparseShape shape, Wires wires, TileMap tiles, float* sums) {
  __shared__ std::uint16_t found[kSumWires][kMostMembers][kWarpLanes];
  const unsigned warp = threadIdx.x / kWarpLanes, lane = threadIdx.x % kWarpLanes;
  const unsigned at_a_time = blockDim.x / kWarpLanes, inputs = static_cast<unsigned>(wires.inputs);
  const std::size_t chunk = std::size_t{blockIdx.x} * kWarpLanes + lane;
  const unsigned count = chunk < shape.chunks ? kept_in(shape, chunk) : 0;
  const bool last = chunk + 1 == shape.chunks;
  for (unsigned first = 0; first < inputs; first += at_a_time) {
    const unsigned wire = first + warp;
    if (wire < inputs) {
      unsigned rank[kSubsetWords] = {};
      if (count > 0) load_rank(shape, wires.bytes + wire * shape.bytes, chunk, rank);
      unsigned most = (last ? shape.last_elements : shape.chunk_elements) - 1;
      for (unsigned k = shape.keep; k > 0; --k) {
        if (k > count) continue;
        const unsigned number = take_member(rank, k, most);
        found[warp][k - 1][lane] = static_cast<std::uint16_t>(number);
        most = number - 1;
      }
    }
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
