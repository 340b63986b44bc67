// SPDX-License-Identifier: Apache-2.0
// The largest of a chunk that a warp holds in shared memory, in the order of their index. One warp needs
// no barriers, and does for 4096 values what eight would each do for 512.
//
// A first bound comes from maxima of a few values each: at least `count` values reach the count-th
// largest of these, and of random values few more do. These candidates are held in registers, where
// the threshold is found. Where candidates are too many (ties, a large count), or zeros fill up, all values
// are searched.
#pragma once

#include "codecs/top_k/candidates.cuh"

namespace codecs::cuda {

// How many of the chunk's values reach `key`.
template <int kChunk>
__device__ unsigned count_reaching(unsigned key, const Selection<kChunk>& s) {
  unsigned reach = 0;
#pragma unroll 2
  for (int v = 0; v < s.kPerLane; ++v) {
    const uint4 four = s.own(v);
    reach += (key - 1 - key_of(four.x)) >> 31;
    reach += (key - 1 - key_of(four.y)) >> 31;
    reach += (key - 1 - key_of(four.z)) >> 31;
    reach += (key - 1 - key_of(four.w)) >> 31;
  }
  return __reduce_add_sync(kAllLanes, reach);
}

// The zeros beyond the end of a chunk are its last: with count <= valid none of them is taken.
template <int kChunk, int kZeros>
__device__ Choice search_values(unsigned largest, unsigned count, const Selection<kChunk>& s) {
  const auto reach_of = [&](unsigned key) { return count_reaching(key << kZeros, s); };
  Threshold threshold{.key = 0, .reach = kChunk, .above = reach_of(1)};
  if (threshold.above >= count) {
    threshold = raise({.key = 1, .reach = threshold.above}, (largest >> kZeros) + 1, count, count,
                      1, reach_of);
  }
  const Choice choice = choice_at(threshold, count);
  return {choice.least << kZeros, choice.ties};
}

// Where keys below the least step by 1 << kZeros.
template <int kChunk, int kZeros>
__device__ void select_values(const Choice& choice, Selection<kChunk>& s) {
  const unsigned tie = choice.least - (1u << kZeros);
  const auto visit = [&](auto take) {
#pragma unroll 1
    for (int i = 0; i < 4 * s.kPerLane; ++i) {
      const unsigned index = lane() * (4 * s.kPerLane) + static_cast<unsigned>(i);
      take(key_of(s.value(index)), index);
    }
  };
  unsigned above = 0, ties = 0;
  visit([&](unsigned key, unsigned) {
    above += key >= choice.least ? 1u : 0u;
    ties += key == tie ? 1u : 0u;
  });
  unsigned earlier = sum_through(ties) - ties;
  const unsigned left = choice.ties > earlier ? choice.ties - earlier : 0u;
  const unsigned own = above + min(ties, left);
  unsigned at = sum_through(own) - own;
  visit([&](unsigned key, unsigned index) {
    const bool tied = key == tie && earlier < choice.ties;
    if (tied) ++earlier;
    if (tied || key >= choice.least) s.indices[at++] = static_cast<std::uint16_t>(index);
  });
}

// Selects among all values; the largest key.
template <int kChunk, int kZeros>
__device__ unsigned select_of_all(unsigned count, Selection<kChunk>& s) {
  unsigned largest = 0;
#pragma unroll 2
  for (int v = 0; v < s.kPerLane; ++v) {
    const uint4 four = s.own(v);
    largest =
        max(largest, max(max(key_of(four.x), key_of(four.y)), max(key_of(four.z), key_of(four.w))));
  }
  largest = __reduce_max_sync(kAllLanes, largest);
  const Choice choice = search_values<kChunk, kZeros>(largest, count, s);
  select_values<kChunk, kZeros>(choice, s);
  return largest;
}

// Fills s.indices with the `count` largest, and returns the largest key; `maxima` are of parts of the
// chunk. count <= kMostKept, and not more than the chunk has values. The whole warp calls.
template <int kChunk, int kZeros, int kMaxima>
__device__ unsigned select_largest(const float (&maxima)[kMaxima], unsigned count,
                                   Selection<kChunk>& s) {
  // With more than half of the maxima the bound would be too low to leave few candidates.
  if (count <= kMaxima * kWarpLanes / 2) {
    const unsigned bound = bound_of_maxima<kZeros>(maxima, count);
    const unsigned candidates = bound > 0 ? list_candidates(bound, s) : kMostCandidates + 1;
    if (candidates <= 3 * kWarpLanes) {
      return select_candidates<3, kZeros>(candidates, bound, count, s);
    }
    if (candidates <= kMostCandidates) {
      return select_candidates<kMostCandidates / kWarpLanes, kZeros>(candidates, bound, count, s);
    }
  }
  return select_of_all<kChunk, kZeros>(count, s);
}

}  // namespace codecs::cuda
