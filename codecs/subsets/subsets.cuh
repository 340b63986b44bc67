// SPDX-License-Identifier: Apache-2.0
// Ranks of subsets (codecs/subsets/subsets.hpp) in the registers of a thread. There is no table of
// binomials: C(n, k) is made factor by factor, and from each the next number's by one factor.
#pragma once

#include "codecs/cuda/lane.cuh"

namespace codecs::cuda {

// Of a number, 32 bits each, the lowest first. The highest must have room for a factor of 13 bits.
inline constexpr int kSubsetWords = 16;
inline constexpr unsigned kSubsetBits = 32 * kSubsetWords - 13;

// Modulo 2^32, of an odd number; Newton's method doubles the bits that are right, at first 5.
__device__ inline unsigned inverse_of_odd(unsigned odd) {
  unsigned inverse = 3 * odd ^ 2;
#pragma unroll
  for (int bits = 5; bits < 32; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}

// Times a factor, over a divisor that divides the product; both are below 2^13, and the words from
// kWords on must stay 0. The power of two in the divisor is shifted out. The rest divides from the
// lowest word on, where a digit of the quotient is the only one that leaves the right remainder.
template <int kWords = kSubsetWords>
__device__ void scale_exactly(unsigned (&x)[kSubsetWords], unsigned factor, unsigned divisor) {
  const int twos = __ffs(static_cast<int>(divisor)) - 1;
  const unsigned odd = divisor >> twos, inverse = inverse_of_odd(odd);
  std::uint64_t product = std::uint64_t{x[0]} * factor, divided = 0;
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const auto low = static_cast<unsigned>(product);
    product >>= 32;
    if (w + 1 < kWords) product += std::uint64_t{x[w + 1]} * factor;
    const unsigned digit = __funnelshift_r(low, static_cast<unsigned>(product), twos);
    divided >>= 32;
    x[w] = (digit - static_cast<unsigned>(divided)) * inverse;
    divided += std::uint64_t{x[w]} * odd;  // its low word is the digit
  }
}

// C(n, k) of k up to n + 1, with words as they fill: k factors of 13 bits.
__device__ inline void binomial(unsigned n, unsigned k, unsigned (&x)[kSubsetWords]) {
#pragma unroll
  for (int w = 0; w < kSubsetWords; ++w) x[w] = w == 0 ? 1 : 0;
  for (unsigned i = 1; i <= k; ++i) {
    const unsigned factor = n + i - k;  // 0 if k is n + 1
    if (i <= 8) {
      scale_exactly<4>(x, factor, i);
    } else if (i <= 18) {
      scale_exactly<8>(x, factor, i);
    } else {
      scale_exactly(x, factor, i);
    }
  }
}

__device__ inline void add_to(unsigned (&x)[kSubsetWords], const unsigned (&y)[kSubsetWords]) {
  std::uint64_t sum = 0;
#pragma unroll
  for (int w = 0; w < kSubsetWords; ++w) {
    sum += std::uint64_t{x[w]} + y[w];
    x[w] = static_cast<unsigned>(sum);
    sum >>= 32;
  }
}

// The walk of get_subset() down the numbers, by one thread; the other lanes have walks of their own.
struct SubsetWalk {
  unsigned rank[kSubsetWords];   // of what is left
  unsigned below[kSubsetWords];  // C(number, left)
  unsigned number = 0;
  unsigned left = 0;

  // Decides on one number: whether it is a member.
  template <int kWords, typename Take>
  __device__ void step(Take take) {
    if (left == 0) return;
    const bool member = !is_below<kWords>();
    const unsigned factor = member ? left : number - left;
    if (member) {
      std::uint64_t difference = 0;
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        difference = std::uint64_t{rank[w]} - below[w] - (difference >> 63);
        rank[w] = static_cast<unsigned>(difference);
      }
      take(--left, number);
      if (left == 0) return;
    }
    scale_exactly<kWords>(below, factor, number);
    --number;
  }

  // The rank; the highest words that differ are nearly always among the first that are not 0.
  template <int kWords>
  __device__ bool is_below() const {
#pragma unroll
    for (int w = kWords - 1; w >= 0; --w) {
      if (rank[w] != below[w]) return rank[w] < below[w];
    }
    return false;
  }

  // Whether the words from kWords on are 0, with room for a factor.
  template <int kWords>
  __device__ bool is_short() const {
    unsigned rest = (rank[kWords - 1] | below[kWords - 1]) >> 19;
#pragma unroll
    for (int w = kWords; w < kSubsetWords; ++w) rest |= rank[w] | below[w];
    return left == 0 || rest == 0;
  }
};

inline constexpr int kStepsBetweenVotes = 16;

// Walks until nothing is left, and calls take(place, number) for each member, the largest first. The
// whole warp calls. `kWords` shrinks as all lanes' numbers do.
template <int kWords = kSubsetWords, typename Take>
__device__ void walk_subset(SubsetWalk& walk, Take take) {
  constexpr int kFewer = kWords - 4;
  while (__any_sync(kAllLanes, walk.left > 0 ? 1 : 0) != 0) {
    if constexpr (kFewer > 0) {
      if (__all_sync(kAllLanes, walk.is_short<kFewer>() ? 1 : 0) != 0) {
        return walk_subset<kFewer>(walk, take);
      }
    }
    for (int i = 0; i < kStepsBetweenVotes; ++i) walk.step<kWords>(take);
  }
}

}  // namespace codecs::cuda
