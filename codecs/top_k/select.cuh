// SPDX-License-Identifier: Apache-2.0
// The largest of a chunk whose values are in the registers of a block, in the order of their index.
//
// A first bound comes from the threads' own maxima: at least `count` values reach the count-th
// largest of these, and of random values few more do. These candidates one warp holds in registers,
// where it finds the threshold. Where fewer than `count` values are not zero, zeros fill up. Where
// candidates are too many (ties, sorted values, a large count), the threshold is found by bisection
// of the bits over all values.
#pragma once

#include "codecs/top_k/candidates.cuh"

namespace codecs::cuda {

// How many of the chunk's values reach `key`. `round` alternates between calls.
template <int kChunk>
__device__ unsigned count_reaching(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                                   unsigned key, unsigned round, Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  unsigned reach = 0;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    reach += key_of(x[i]) >= key && Block::index(i) < valid ? 1u : 0u;
  }
  reach = __reduce_add_sync(kAllLanes, reach);
  if (threadIdx.x % kWarpLanes == 0) s.counts[round % 2][threadIdx.x / kWarpLanes] = reach;
  __syncthreads();
  unsigned sum = 0;
  for (int warp = 0; warp < Block::kThreads / kWarpLanes; ++warp) sum += s.counts[round % 2][warp];
  return sum;
}

template <int kChunk, int kZeros>
__device__ void bisect(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                       unsigned count, Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  unsigned own = 0;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) own = max(own, key_of(x[i]));
  own = __reduce_max_sync(kAllLanes, own);
  if (threadIdx.x % kWarpLanes == 0) atomicMax(&s.largest, own);
  __syncthreads();
  unsigned threshold = 0, reach = valid, round = 0;
  unsigned bit = s.largest == 0 ? 0u : 1u << (31 - __clz(static_cast<int>(s.largest)));
  for (; bit >> kZeros > 0 && reach != count; bit >>= 1) {
    const unsigned now = count_reaching<kChunk>(x, valid, threshold | bit, round++, s);
    if (now < count) continue;
    threshold |= bit;
    reach = now;
  }
  // Either exactly `count` reach the threshold, or it is the last one's key and some tie with it.
  const bool tied = reach != count;
  const unsigned above = tied ? count_reaching<kChunk>(x, valid, threshold + 1, round, s) : count;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    if (key_of(x[i]) < threshold || Block::index(i) >= valid) continue;
    set_bit(tied && key_of(x[i]) == threshold ? s.ties : s.selected, Block::index(i));
  }
  __syncthreads();
  if (tied && threadIdx.x < kWarpLanes) take_ties<kChunk>(count - above, s);
}

// Where the candidates are too few or too many: all threads look at all of their values.
template <int kChunk, int kZeros>
__device__ void select_values(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                              unsigned count, Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  if (s.candidate_count >= count) {
    bisect<kChunk, kZeros>(x, valid, count, s);
  } else if (threadIdx.x < kWarpLanes) {
    select_zeros<kChunk>(valid, count, s);
  }
  __syncthreads();
  if (threadIdx.x < kWarpLanes) count_before<kChunk>(s);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    const unsigned index = Block::index(i);
    if ((s.selected[index / 32] >> (index % 32) & 1u) != 0) store_selected(x[i], index, s);
  }
}

// Fills s.indices and s.values with the `count` largest of the first `valid` values; the others
// are zeros. The whole block calls; count <= valid, and count <= kMostKept. Ends with a barrier.
template <int kChunk, int kZeros>
__device__ void select_largest(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                               unsigned count, Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  // A maximum that misses a NaN is a bound that is too low, no more.
  float largest = 0;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) largest = fmaxf(largest, fabsf(x[i]));
  s.maxima[threadIdx.x] = largest;
  static_assert(Block::kWords <= Block::kThreads);
  if (threadIdx.x < Block::kWords) {
    s.selected[threadIdx.x] = 0;
    s.ties[threadIdx.x] = 0;
  }
  // With more than half of the maxima the bound would be too low to leave few candidates.
  const bool few = count <= Block::kThreads / 2;
  if (threadIdx.x == 0) {
    s.candidate_count = few ? 0u : 0xFFFFFFFFu;  // too many
    s.largest = 0;
  }
  __syncthreads();
  if (few && threadIdx.x < kWarpLanes) {
    const unsigned bound = bound_of_maxima<kChunk, kZeros>(s, count);
    if (threadIdx.x == 0) s.bound = bound;
  }
  __syncthreads();
  if (few) collect_candidates<kChunk>(x, s);
  __syncthreads();
  if (s.candidate_count < count || s.candidate_count > kMostCandidates) {
    select_values<kChunk, kZeros>(x, valid, count, s);
  } else if (threadIdx.x < kWarpLanes) {
    select_candidates<kChunk, kZeros>(count, s);
  }
  __syncthreads();
}

}  // namespace codecs::cuda
