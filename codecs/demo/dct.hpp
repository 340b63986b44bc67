// The discrete cosine transform of type II, orthonormal, in two dimensions over tiles of 64 x 64
// (row by row in memory): Y = B X B^T, and its inverse X = B^T Y B, with
//
//   B[k][n] = sqrt((k == 0 ? 1 : 2) / 64) cos(pi (2 n + 1) k / 128)
//
// in float64, rounded to float32. Each product of matrices starts a sum at 0 and adds its 64 terms
// in order, each by one fused multiply-add of float32; the left factor comes first.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace codecs {

inline constexpr std::size_t kDctSide = 64;
inline constexpr std::size_t kDctTile = kDctSide * kDctSide;

// cos(pi m / 128) for m in [0, 64], by its series: compilers know no constant cosine.
constexpr double dct_cosine(std::size_t m) {
  constexpr double kPi = 3.141592653589793238462643383279502884;
  const double x = kPi * static_cast<double>(m) / 128;
  double term = 1, sum = 1;
  for (int i = 2; i <= 26; i += 2) {
    term *= -x * x / ((i - 1) * i);
    sum += term;
  }
  return sum;
}

struct DctBasis {
  float values[kDctTile] = {};  // B, row by row
};

constexpr DctBasis dct_basis() {
  constexpr double kSqrtHalf = 0.707106781186547524400844362104849039;
  std::array<double, 65> cosines{};
  for (std::size_t m = 0; m < 64; ++m) cosines[m] = dct_cosine(m);
  DctBasis basis;
  for (std::size_t k = 0; k < kDctSide; ++k) {
    for (std::size_t n = 0; n < kDctSide; ++n) {
      std::size_t m = (2 * n + 1) * k % 256;  // of a turn of 256
      if (m > 128) m = 256 - m;
      const double cosine = m <= 64 ? cosines[m] : -cosines[128 - m];
      basis.values[k * kDctSide + n] =
          static_cast<float>((k == 0 ? 1.0 : 2 * kSqrtHalf) / 8 * cosine);
    }
  }
  return basis;
}

// Whole tiles, in place.
void dct_tiles(std::span<float> values);
void inverse_dct_tiles(std::span<float> values);

}  // namespace codecs
