// SPDX-License-Identifier: Apache-2.0
// The candidates of a chunk: those of its vectors in which a value reaches a first bound. A lane takes
// few of them into registers, in turn with the others, so that rounds, lanes and then a lane's values
// have the order of the chunk.
// kZeros: the number of low bits that are zero in all keys (bfloat16: 16); no search looks there.
#pragma once

#include "codecs/top_k/threshold.cuh"

namespace codecs::cuda {

// A key that `count` of the values reach, 0 where too few are above it.
template <int kZeros, int kMaxima>
__device__ unsigned bound_of_maxima(const float (&maxima)[kMaxima], unsigned count) {
  unsigned keys[kMaxima], least = 0x7FFFFFFFu;
#pragma unroll
  for (int i = 0; i < kMaxima; ++i) {
    keys[i] = key_of(maxima[i]) >> kZeros;
    least = min(least, keys[i]);
  }
  least = __reduce_min_sync(kAllLanes, least);
  // A few candidates more cost less than further rounds.
  const Threshold bound = raise(keys, {.key = least, .reach = kMaxima * kWarpLanes},
                                largest_of(keys) + 1, count, count + count / 8, 1);
  return bound.key << kZeros;
}

// NaNs do. Without branches: all four are compared.
__device__ inline bool reaches(const uint4& v, float bound) {
  bool reaches = !(fabsf(__uint_as_float(v.x)) < bound);
  reaches |= !(fabsf(__uint_as_float(v.y)) < bound);
  reaches |= !(fabsf(__uint_as_float(v.z)) < bound);
  reaches |= !(fabsf(__uint_as_float(v.w)) < bound);
  return reaches;
}

// Lists the vectors with values that reach the bound, if these are not too many; their number.
template <int kChunk>
__device__ unsigned list_candidates(unsigned bound_key, Selection<kChunk>& s) {
  constexpr int kPerLane = Selection<kChunk>::kPerLane;
  constexpr int kWords = (kPerLane + 31) / 32;
  const float bound = __uint_as_float(bound_key);
  unsigned hits[kWords] = {}, own = 0;
#pragma unroll
  for (int v = 0; v < kPerLane; ++v) {
    if (reaches(s.own(v), bound)) hits[v / 32] |= 1u << (v % 32);
  }
#pragma unroll
  for (int w = 0; w < kWords; ++w) own += static_cast<unsigned>(__popc(hits[w]));
  const unsigned through = sum_through(own);
  const unsigned all = of_last_lane(through);
  if (all > kMostCandidates) return all;
  unsigned slot = through - own;
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const unsigned first = lane() * kPerLane + static_cast<unsigned>(32 * w - 1);
    for (; hits[w] != 0; hits[w] &= hits[w] - 1) {
      s.candidates[slot++] = static_cast<std::uint16_t>(
          first + static_cast<unsigned>(__ffs(static_cast<int>(hits[w]))));
    }
  }
  __syncwarp();
  return all;
}

// How many bits are before those of this lane's rounds, 4 in each.
template <int kRounds>
__device__ void count_before(unsigned bits, unsigned (&before)[kRounds]) {
  unsigned start = 0;
#pragma unroll
  for (int first = 0; first < kRounds; first += 4) {
    unsigned own = 0;  // 4 rounds' numbers, each of all lanes at most 128
#pragma unroll
    for (int r = first; r < first + 4 && r < kRounds; ++r) {
      own |= static_cast<unsigned>(__popc(bits & (15u << (4 * r)))) << (8 * (r - first));
    }
    const unsigned through = sum_through(own);
    const unsigned all = of_last_lane(through);
#pragma unroll
    for (int r = first; r < first + 4 && r < kRounds; ++r) {
      before[r] = start + ((through - own) >> (8 * (r - first)) & 0xFFu);
      start += all >> (8 * (r - first)) & 0xFFu;
    }
  }
}

// Of the lane's keys, 4 in each round, a bit each.
template <int kRounds>
__device__ unsigned chosen_of(const unsigned (&keys)[4 * kRounds], const Choice& choice) {
  unsigned chosen = 0;
#pragma unroll
  for (int i = 0; i < 4 * kRounds; ++i) chosen |= keys[i] >= choice.least ? 1u << i : 0u;
  if (choice.ties == 0) return chosen;
  unsigned ties = 0, before[kRounds];
#pragma unroll
  for (int i = 0; i < 4 * kRounds; ++i) ties |= keys[i] + 1 == choice.least ? 1u << i : 0u;
  count_before(ties, before);
#pragma unroll
  for (int i = 0; i < 4 * kRounds; ++i) {
    const unsigned lower = ties & ((1u << i) - (1u << i / 4 * 4));
    const unsigned earlier = before[i / 4] + static_cast<unsigned>(__popc(lower));
    if (earlier < choice.ties) chosen |= ties & 1u << i;
  }
  return chosen;
}

// Selects among the candidates, whose values that reach the bound are at least `count`. The largest key.
template <int kRounds, int kZeros, int kChunk>
__device__ unsigned select_candidates(unsigned candidates, unsigned bound, unsigned count,
                                      Selection<kChunk>& s) {
  unsigned vectors[kRounds], keys[4 * kRounds], before[kRounds];
#pragma unroll
  for (int r = 0; r < kRounds; ++r) {
    const unsigned c = lane() + static_cast<unsigned>(kWarpLanes * r);
    vectors[r] = c < candidates ? s.candidates[c] : 0u;
    const uint4 v = c < candidates ? s.vectors[s.place(vectors[r])] : make_uint4(0, 0, 0, 0);
    keys[4 * r] = key_of(v.x) >> kZeros;
    keys[4 * r + 1] = key_of(v.y) >> kZeros;
    keys[4 * r + 2] = key_of(v.z) >> kZeros;
    keys[4 * r + 3] = key_of(v.w) >> kZeros;
  }
  const unsigned largest = largest_of(keys);
  const Threshold threshold =
      raise(keys, {.key = bound >> kZeros, .reach = 4 * candidates}, largest + 1, count, count, 4);
  const unsigned chosen = chosen_of<kRounds>(keys, choice_at(threshold, count));
  count_before(chosen, before);
#pragma unroll
  for (int i = 0; i < 4 * kRounds; ++i) {
    if ((chosen >> i & 1u) == 0) continue;
    s.indices[before[i / 4]++] = static_cast<std::uint16_t>(4 * vectors[i / 4] + i % 4);
  }
  return largest << kZeros;
}

}  // namespace codecs::cuda
