// SPDX-License-Identifier: Apache-2.0
// The candidates of a chunk: those of its values that reach a first bound, few enough for one warp.
// kZeros: the number of low bits that are zero in all keys (bfloat16: 16); no search looks there.
#pragma once

#include "codecs/top_k/chunk.cuh"

namespace codecs::cuda {

// A key, and how many reach it.
struct Threshold {
  unsigned key = 0;
  unsigned reach = 0;
  unsigned above = 0;  // how many reach key + 1, where more than wanted reach key
};

// Raises the threshold until no more than `most` of a warp's keys reach it, but always `count`; or
// until all that are too many equal it.
template <int kKeys>
__device__ Threshold raise(const unsigned (&keys)[kKeys], Threshold low, unsigned count,
                           unsigned most) {
  unsigned largest = 0;
#pragma unroll
  for (int i = 0; i < kKeys; ++i) largest = max(largest, keys[i]);
  unsigned high = __reduce_max_sync(kAllLanes, largest) + 1;
  while (low.reach > most && high - low.key > 1) {
    const unsigned middle = low.key + (high - low.key) / 2;
    unsigned reach = 0;
#pragma unroll
    for (int i = 0; i < kKeys; ++i) reach += (middle - 1 - keys[i]) >> 31;  // keys are below 2^31
    reach = __reduce_add_sync(kAllLanes, reach);
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

// A key above 0 that `count` of the values reach, if so many do; one warp's work.
template <int kChunk, int kZeros>
__device__ unsigned bound_of_maxima(const Selection<kChunk>& s, unsigned count) {
  constexpr int kPerLane = ChunkBlock<kChunk>::kThreads / kWarpLanes;
  unsigned keys[kPerLane], least = 0x7FFFFFFFu;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    keys[i] = key_of(s.maxima[threadIdx.x + kWarpLanes * i]) >> kZeros;
    least = min(least, keys[i]);
  }
  least = __reduce_min_sync(kAllLanes, least);
  // A few candidates more cost less than further rounds.
  const Threshold bound =
      raise(keys, {.key = least, .reach = ChunkBlock<kChunk>::kThreads}, count, count + count / 8);
  return max(bound.key, 1u) << kZeros;
}

// x[i], of kCount from kFirst on, by choices: an index that is no constant would put x in memory.
template <int kFirst, int kCount, int kValues>
__device__ float pick(const float (&x)[kValues], int i) {
  if constexpr (kCount == 1) {
    return x[kFirst];
  } else {
    constexpr int kHalf = kCount / 2;
    const float low = pick<kFirst, kHalf>(x, i);
    const float high = pick<kFirst + kHalf, kHalf>(x, i);
    return (i & kHalf) != 0 ? high : low;
  }
}

template <int kChunk>
__device__ void collect_candidates(const float (&x)[ChunkBlock<kChunk>::kValues],
                                   Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  const float bound = __uint_as_float(s.bound);
  unsigned hits = 0;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    if (!(fabsf(x[i]) < bound)) hits |= 1u << i;  // NaNs too
  }
  if (hits == 0) return;
  const auto own = static_cast<unsigned>(__popc(hits));
  unsigned slot = atomicAdd(&s.candidate_count, own);
  if (slot + own > kMostCandidates) return;
  for (; hits != 0; hits &= hits - 1) {
    const int i = __ffs(static_cast<int>(hits)) - 1;
    s.candidates[slot] = pick<0, Block::kValues>(x, i);
    s.candidate_indices[slot] = static_cast<std::uint16_t>(Block::index(i));
    ++slot;
  }
}

// Selects among the candidates, which are at least `count`; one warp's work.
template <int kChunk, int kZeros>
__device__ void select_candidates(unsigned count, Selection<kChunk>& s) {
  const unsigned candidates = s.candidate_count;
  float x[kCandidatesPerLane];
  unsigned keys[kCandidatesPerLane];
#pragma unroll
  for (int i = 0; i < kCandidatesPerLane; ++i) {
    const unsigned c = threadIdx.x + kWarpLanes * i;
    x[i] = c < candidates ? s.candidates[c] : 0.0f;
    keys[i] = key_of(x[i]) >> kZeros;
  }
  const Threshold threshold =
      raise(keys, {.key = s.bound >> kZeros, .reach = candidates}, count, count);
  const bool tied = threshold.reach > count;
#pragma unroll
  for (int i = 0; i < kCandidatesPerLane; ++i) {
    if (static_cast<unsigned>(kWarpLanes * i) >= candidates) break;
    if (keys[i] < threshold.key) continue;
    set_bit(tied && keys[i] == threshold.key ? s.ties : s.selected,
            s.candidate_indices[threadIdx.x + kWarpLanes * i]);
  }
  __syncwarp();
  if (tied) take_ties<kChunk>(count - threshold.above, s);
  __syncwarp();
  count_before<kChunk>(s);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kCandidatesPerLane; ++i) {
    if (static_cast<unsigned>(kWarpLanes * i) >= candidates) break;
    if (keys[i] < threshold.key) continue;
    const unsigned index = s.candidate_indices[threadIdx.x + kWarpLanes * i];
    if ((s.selected[index / 32] >> (index % 32) & 1u) != 0) store_selected(x[i], index, s);
  }
}

// Selects the candidates, which are fewer than `count`, and the lowest of the others, which are
// zeros; one warp's work.
template <int kChunk>
__device__ void select_zeros(unsigned valid, unsigned count, Selection<kChunk>& s) {
  constexpr unsigned kWords = ChunkBlock<kChunk>::kWords;
  for (unsigned c = threadIdx.x; c < s.candidate_count; c += kWarpLanes) {
    set_bit(s.selected, s.candidate_indices[c]);
  }
  __syncwarp();
  for (unsigned w = threadIdx.x; w < kWords; w += kWarpLanes) {
    const unsigned first = 32 * w;
    const unsigned inside = valid >= first + 32 ? 0xFFFFFFFFu
                            : valid > first     ? (1u << (valid - first)) - 1u
                                                : 0u;
    s.ties[w] = inside & ~s.selected[w];
  }
  __syncwarp();
  take_ties<kChunk>(count - s.candidate_count, s);
}

}  // namespace codecs::cuda
