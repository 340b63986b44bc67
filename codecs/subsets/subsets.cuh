// SPDX-License-Identifier: Apache-2.0
// Ranks of subsets (codecs/subsets/subsets.hpp) in the registers of a thread. C(n, k) is made modulo
// a power of two above it: the odd parts of n (n - 1) ... (n - k + 1), two at a time, times the inverse
// of k!'s odd part, times the factors 2 that are left. So a member costs a few hundred instructions,
// however many numbers lie between it and the next. A member of a rank is found by halving an interval
// with estimates of C(n, k), which are never too large for it; the exact number then decides.
#pragma once

#include "codecs/cuda/tables.cuh"
#include "codecs/subsets/factorials.hpp"

namespace codecs::cuda {

static __device__ const DeviceTable<Factorial, kMostNumbers + 1> kFactorialsOnDevice =
    on_device(factorials());
static __device__ const DeviceTable<SubsetNumber, kMostMembers + 1> kInversesOnDevice =
    on_device(inverse_factorials());

// Words that hold every C(n, k) of kMostNumbers and of k below this; the next case's hold the others'.
template <int kWords>
inline constexpr unsigned kFitsBelow = kWords == 4    ? 12
                                       : kWords == 8  ? 27
                                       : kWords == 12 ? 42
                                                      : 65;

// Calls work<kWords>() of an integral_constant, for members up to k.
template <typename Work>
__device__ void with_subset_words(unsigned k, Work work) {
  if (k < kFitsBelow<4>) {
    work(std::integral_constant<int, 4>());
  } else if (k < kFitsBelow<8>) {
    work(std::integral_constant<int, 8>());
  } else if (k < kFitsBelow<12>) {
    work(std::integral_constant<int, 12>());
  } else {
    work(std::integral_constant<int, 16>());
  }
}

// Factors i to `end` - 1 of n (n - 1) ..., each n - i: their odd parts, and how many factors 2 were left
// out. Words from kFilled on stay 0.
template <int kFilled, int kWords>
__device__ void multiply_factors(unsigned n, unsigned i, unsigned end, unsigned (&product)[kWords],
                                 unsigned& twos) {
  for (; i < end; i += 2) {
    unsigned factor = i + 1 < end ? (n - i) * (n - i - 1) : n - i;
    const unsigned shift = static_cast<unsigned>(__ffs(static_cast<int>(factor))) - 1u;
    factor >>= shift;
    twos += shift;
    std::uint64_t carry = 0;
#pragma unroll
    for (int w = 0; w < (kFilled < kWords ? kFilled : kWords); ++w) {
      carry += std::uint64_t{product[w]} * factor;
      product[w] = static_cast<unsigned>(carry);
      carry >>= 32;
    }
  }
}

// C(n, k), k from 1 on and below kFitsBelow; 0 if k > n.
template <int kWords>
__device__ void binomial(unsigned n, unsigned k, unsigned (&x)[kWords]) {
  const unsigned top = max(n, k);
  unsigned odd[kWords] = {1}, twos = 0;
  // Factors of 13 bits.
  multiply_factors<4>(top, 0, min(k, 8u), odd, twos);
  multiply_factors<8>(top, 8, min(k, 18u), odd, twos);
  multiply_factors<12>(top, 18, min(k, 28u), odd, twos);
  multiply_factors<16>(top, 28, k, odd, twos);
  const std::uint32_t* const inverse = kInversesOnDevice.entries[k].words;
  unsigned quotient[kWords] = {};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    std::uint64_t carry = 0;
#pragma unroll
    for (int w = i; w < kWords; ++w) {
      carry += std::uint64_t{odd[i]} * inverse[w - i] + quotient[w];
      quotient[w] = static_cast<unsigned>(carry);
      carry >>= 32;
    }
  }
  twos -= k - static_cast<unsigned>(__popc(k));  // those of k!; at most 13 are left
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const unsigned shifted = __funnelshift_l(w > 0 ? quotient[w - 1] : 0u, quotient[w], twos);
    x[w] = k > n ? 0u : shifted;
  }
}

template <int kWords>
__device__ void add_to(unsigned (&x)[kSubsetWords], const unsigned (&y)[kWords]) {
  std::uint64_t sum = 0;
#pragma unroll
  for (int w = 0; w < kSubsetWords; ++w) {
    sum += std::uint64_t{x[w]} + (w < kWords ? y[w] : 0u);
    x[w] = static_cast<unsigned>(sum);
    sum >>= 32;
  }
}

// x - y, or false if y is larger.
template <int kWords>
__device__ bool subtract(unsigned (&x)[kSubsetWords], const unsigned (&y)[kWords]) {
  unsigned left[kSubsetWords];
  std::uint64_t difference = 0;
#pragma unroll
  for (int w = 0; w < kSubsetWords; ++w) {
    difference = std::uint64_t{x[w]} - (w < kWords ? y[w] : 0u) - (difference >> 63);
    left[w] = static_cast<unsigned>(difference);
  }
  if (difference >> 63 != 0) return false;
#pragma unroll
  for (int w = 0; w < kSubsetWords; ++w) x[w] = left[w];
  return true;
}

// The largest n from k - 1 to `most` whose C(n, k) may be as small as the rank: the number itself, or
// one more.
__device__ inline unsigned estimate_member(const unsigned (&rank)[kSubsetWords], unsigned k,
                                           unsigned most) {
  unsigned high = 0, low = 0;
  int exponent = 0;
#pragma unroll
  for (int w = 0; w < kSubsetWords; ++w) {
    if (rank[w] == 0) continue;
    low = w > 0 ? rank[w - 1] : 0;
    high = rank[w];
    exponent = 32 * w + 31;
  }
  const int zeros = __clz(static_cast<int>(high));
  const unsigned mantissa = __funnelshift_l(low, high, static_cast<unsigned>(zeros));
  // All errors together, of six numbers of 24 bits and their products, are less than 2^-20.
  constexpr float kSlack = 1.0f + 0x1p-19f;
  const Factorial members = kFactorialsOnDevice.entries[k];
  const float sets = high == 0 ? 0.0f
                               : __uint_as_float(0x3F800000u | (mantissa >> 8 & 0x7FFFFFu)) *
                                     members.mantissa * kSlack;
  exponent += members.exponent - zeros;
  unsigned least = k - 1;
  while (least < most) {
    const unsigned n = (least + most + 1) / 2;
    const Factorial all = kFactorialsOnDevice.entries[n],
                    others = kFactorialsOnDevice.entries[n - k];
    // sets (n - k)! is below 8, n! from 1 on, if both have the same exponent.
    const int more = max(-8, min(exponent + others.exponent - all.exponent, 8));
    const float product = __uint_as_float(__float_as_uint(sets * others.mantissa) +
                                          static_cast<unsigned>(more * (1 << 23)));
    if (product >= all.mantissa) {
      least = n;
    } else {
      most = n - 1;
    }
  }
  return least;
}

// Takes the member number k, the largest, off a rank: those left are smaller. It is at most `most`.
__device__ inline unsigned take_member(unsigned (&rank)[kSubsetWords], unsigned k, unsigned most) {
  unsigned number = estimate_member(rank, k, most);
  with_subset_words(k, [&]<int kWords>(std::integral_constant<int, kWords>) {
    unsigned sets[kWords];
    binomial(number, k, sets);
    while (!subtract(rank, sets)) binomial(--number, k, sets);
  });
  return number;
}

}  // namespace codecs::cuda
