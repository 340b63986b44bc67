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

// Calls add(wire, entry) for all entries of the block's chunk, wires in order, and ends with a barrier.
// The block loads the entries of several wires and leaves them in shared memory, `staged` of kThreads,
// where one warp takes them wire by wire while the next are loaded. A wire that is all there is, or has
// as many entries as the block has threads, is added by all.
template <int kThreads, typename Add>
__device__ void for_each_entry(const SparseShape& shape, const Wires& wires, Entry* staged,
                               Add add) {
  const std::size_t chunk = blockIdx.x;
  const unsigned count = kept_in(shape, chunk);
  const auto all = static_cast<unsigned>(wires.inputs);
  const EntryShare share = share_entries(shape.keep, kThreads);
  const auto load = [&](unsigned wire, unsigned e) {
    return wire < all && e < count ? load_entry(shape, wires.bytes + wire * shape.bytes, chunk, e)
                                   : Entry{};
  };
  if (all == 1 || share.wires == 1) {
    Entry entry = load(0, threadIdx.x);
    for (unsigned wire = 0; wire < all; ++wire) {
      const Entry next = load(wire + 1, threadIdx.x);
      if (threadIdx.x < count) add(wire, entry);
      for (unsigned e = threadIdx.x + kThreads; e < count; e += kThreads) add(wire, load(wire, e));
      __syncthreads();
      entry = next;
    }
    return;
  }
  const unsigned slot = threadIdx.x / share.entries;
  const auto load_own = [&](unsigned first) {
    return load(slot < share.wires ? first + slot : all, threadIdx.x % share.entries);
  };
  // Another warp in each block, so that all schedulers of a multiprocessor have some that add.
  const bool adds = threadIdx.x / kWarpLanes == blockIdx.x % (kThreads / kWarpLanes);
  Entry entry = load_own(0);
  for (unsigned first = 0; first < all; first += share.wires) {
    staged[threadIdx.x] = entry;
    __syncthreads();
    entry = load_own(first + share.wires);
    for (unsigned turn = 0; adds && turn < min(share.wires, all - first); ++turn) {
      const Entry* const own = staged + turn * share.entries;
      for (unsigned i = threadIdx.x % kWarpLanes; i < count; i += kWarpLanes) {
        add(first + turn, own[i]);
      }
      __syncwarp();
    }
    __syncthreads();
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
  __shared__ Entry staged[Block::kThreads];
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    *reinterpret_cast<uint4*>(x + Block::index(4 * v)) = make_uint4(0, 0, 0, 0);
  }
  __syncthreads();
  for_each_entry<Block::kThreads>(
      shape, wires, staged, [&](unsigned, const Entry& entry) { x[entry.index] += entry.value; });
  uint4 vectors[Block::kVectors];
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    vectors[v] = *reinterpret_cast<const uint4*>(x + Block::index(4 * v));
  }
  tiles.store(vectors, tiles.first(blockIdx.x), Block::places(), sums);
}

}  // namespace codecs::cuda
