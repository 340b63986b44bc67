// SPDX-License-Identifier: Apache-2.0
// Decodes: one block takes one chunk, whose sums stay in shared memory while the wires come in
// their order.
#pragma once

#include "codecs/cuda/kernels.hpp"
#include "codecs/sparse/records.cuh"
#include "codecs/tiles/tiles.cuh"
#include "codecs/top_k/chunk.cuh"

namespace codecs::cuda {

// How a block shares out the entries of a chunk: several wires at a time where a wire has fewer
// entries than the block has threads, else one wire by all threads.
struct EntryShare {
  unsigned entries = 0;  // threads that take one wire's
  unsigned wires = 0;    // at a time
};
__device__ inline EntryShare share_entries(unsigned keep, unsigned threads) {
  const unsigned entries = (keep + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
  return entries >= threads ? EntryShare{threads, 1} : EntryShare{entries, threads / entries};
}

// Calls add(wire, entry) for all entries of the block's chunk, wires in order, with a barrier after
// each. Entries of the next wires are loaded while these are added.
template <int kThreads, typename Add>
__device__ void for_each_entry(const SparseShape& shape, const std::byte* wires, int inputs,
                               Add add) {
  const std::size_t chunk = blockIdx.x;
  const unsigned count = kept_in(shape, chunk);
  const EntryShare share = share_entries(shape.keep, kThreads);
  const unsigned slot = threadIdx.x / share.entries, e = threadIdx.x % share.entries;
  const auto all = static_cast<unsigned>(inputs);
  const auto load = [&](unsigned wire, unsigned entry) {
    const bool mine = slot < share.wires && wire < all && entry < count;
    return mine ? load_entry(shape, wires + wire * shape.bytes, chunk, entry) : Entry{};
  };
  Entry entry = load(slot, e);
  for (unsigned first = 0; first < all; first += share.wires) {
    const unsigned wire = first + slot;
    const Entry next = load(wire + share.wires, e);
    for (unsigned turn = 0; turn < share.wires; ++turn) {
      if (turn == slot && wire < all && e < count) add(wire, entry);
      // Beyond one entry a thread, where a wire has more than the block has threads.
      if (share.wires == 1) {
        for (unsigned more = e + kThreads; more < count; more += kThreads) {
          add(wire, load(wire, more));
        }
      }
      __syncthreads();
    }
    entry = next;
  }
}

// 0: the compiler's choice.
template <int kChunk>
inline constexpr int kChunkSumBlocks = kChunk == 4096 ? kSparseSumBlocks : 0;

template <int kChunk>
__global__ void __launch_bounds__(ChunkBlock<kChunk>::kThreads, kChunkSumBlocks<kChunk>)
    sparse_sum_kernel(SparseShape shape, Wires wires, TileMap tiles, float* sums) {
  using Block = ChunkBlock<kChunk>;
  alignas(16) __shared__ float x[kChunk];
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    *reinterpret_cast<uint4*>(x + Block::index(4 * v)) = make_uint4(0, 0, 0, 0);
  }
  __syncthreads();
  for_each_entry<Block::kThreads>(
      shape, wires.bytes, wires.inputs,
      [&](unsigned, const Entry& entry) { x[entry.index] += entry.value; });
  uint4 vectors[Block::kVectors];
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    vectors[v] = *reinterpret_cast<const uint4*>(x + Block::index(4 * v));
  }
  tiles.store(vectors, tiles.first(blockIdx.x), Block::places(), sums);
}

}  // namespace codecs::cuda
