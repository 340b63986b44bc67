// SPDX-License-Identifier: Apache-2.0
// The discrete cosine transform of type II, orthonormal, in two dimensions over square tiles of S x
// S (row by row in memory): Y = B X B^T, and its inverse X = B^T Y B, with
//
//   B[k][n] = sqrt((k == 0 ? 1 : 2) / S) cos(pi (2 n + 1) k / (2 S))
//
// in float64, rounded to float32. Each product of matrices starts a sum at 0 and adds its S terms
// in order, each by one fused multiply-add of float32; the left factor comes first.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>

namespace codecs {

// cos(pi m / (2 side)) for m in [0, side], by its series: compilers know no constant cosine.
constexpr double dct_cosine(std::size_t side, std::size_t m) {
  constexpr double kPi = 3.141592653589793238462643383279502884;
  const double x = kPi * static_cast<double>(m) / static_cast<double>(2 * side);
  double term = 1, sum = 1;
  for (int i = 2; i <= 26; i += 2) {
    term *= -x * x / ((i - 1) * i);
    sum += term;
  }
  return sum;
}

// 1 / sqrt(x) of a power of two.
constexpr double dct_inverse_root(std::size_t x) {
  constexpr double kSqrtHalf = 0.707106781186547524400844362104849039;
  if (x == 1) return 1;
  return x == 2 ? kSqrtHalf : dct_inverse_root(x / 4) / 2;
}

template <std::size_t kSide>
struct DctBasis {
  float values[kSide * kSide] = {};  // B, row by row
};

template <std::size_t kSide>
constexpr DctBasis<kSide> dct_basis() {
  std::array<double, kSide + 1> cosines{};
  for (std::size_t m = 0; m < kSide; ++m) cosines[m] = dct_cosine(kSide, m);
  DctBasis<kSide> basis;
  for (std::size_t k = 0; k < kSide; ++k) {
    for (std::size_t n = 0; n < kSide; ++n) {
      std::size_t m = (2 * n + 1) * k % (4 * kSide);  // of a turn of 4 kSide
      if (m > 2 * kSide) m = 4 * kSide - m;
      const double cosine = m <= kSide ? cosines[m] : -cosines[2 * kSide - m];
      basis.values[k * kSide + n] =
          static_cast<float>(dct_inverse_root(k == 0 ? kSide : kSide / 2) * cosine);
    }
  }
  return basis;
}

// Calls function.operator()<kSide>() with the side of a tile; throws std::invalid_argument unless
// it is 16, 32 or 64.
template <typename Function>
void with_dct_side(std::size_t side, Function function) {
  switch (side) {
    case 16:
      return function.template operator()<16>();
    case 32:
      return function.template operator()<32>();
    case 64:
      return function.template operator()<64>();
    default:
      throw std::invalid_argument("a tile of coefficients has 16, 32 or 64 rows and columns");
  }
}

// Whole tiles, in place.
void dct_tiles(std::size_t side, std::span<float> values);
void inverse_dct_tiles(std::size_t side, std::span<float> values);

}  // namespace codecs
