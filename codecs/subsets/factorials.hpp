// SPDX-License-Identifier: Apache-2.0
// Tables for C(n, k) = n! / (k! (n - k)!): an estimate of each factorial, and what divides by k!.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace codecs {

inline constexpr std::size_t kMostNumbers = 8192;  // n
inline constexpr std::size_t kMostMembers = 64;    // k
inline constexpr int kSubsetWords = 16;            // of 32 bits, the lowest first

// mantissa 2^exponent, the mantissa from 1 to 2.
struct Factorial {
  float mantissa = 1;
  std::int32_t exponent = 0;
};

// Of 0 to kMostNumbers, each to the last bit of its mantissa or the one before.
constexpr std::array<Factorial, kMostNumbers + 1> factorials() {
  std::array<Factorial, kMostNumbers + 1> table{};
  double mantissa = 1;
  std::int32_t exponent = 0;
  for (std::size_t n = 1; n <= kMostNumbers; ++n) {
    mantissa *= static_cast<double>(n);
    for (; mantissa >= 2; mantissa /= 2) ++exponent;
    table[n] = {static_cast<float>(mantissa), exponent};
  }
  return table;
}

struct SubsetNumber {
  std::uint32_t words[kSubsetWords];
};

// Modulo 2^32, of an odd number; Newton's method doubles the bits that are right, at first 5.
constexpr std::uint32_t inverse_of_odd(std::uint32_t odd) {
  std::uint32_t inverse = 3 * odd ^ 2;
  for (int bits = 5; bits < 32; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}

// Of 0 to kMostMembers: the inverse modulo 2^512 of what k! is without its factors 2. Times a number
// that k! divides, it leaves the quotient.
constexpr std::array<SubsetNumber, kMostMembers + 1> inverse_factorials() {
  std::array<SubsetNumber, kMostMembers + 1> table{};
  table[0].words[0] = 1;
  for (std::uint32_t k = 1; k <= kMostMembers; ++k) {
    std::uint32_t odd = k;
    while (odd % 2 == 0) odd /= 2;
    const std::uint32_t inverse = inverse_of_odd(odd);
    // Divides from the lowest word on, where one digit of the quotient leaves the right remainder.
    std::uint64_t divided = 0;
    for (int w = 0; w < kSubsetWords; ++w) {
      divided >>= 32;
      const std::uint32_t digit = table[k - 1].words[w] - static_cast<std::uint32_t>(divided);
      table[k].words[w] = digit * inverse;
      divided += std::uint64_t{table[k].words[w]} * odd;
    }
  }
  return table;
}

}  // namespace codecs
