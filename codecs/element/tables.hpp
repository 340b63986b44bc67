// SPDX-License-Identifier: Apache-2.0
// Grids given as tables: values in ascending order, with the index as code.
#pragma once

#include <array>
#include <cstddef>

namespace codecs {

// 4-bit NormalFloat: quantiles of the standard normal distribution, divided by the largest
// (QLoRA, arXiv 2305.14314, appendix E; the digits are bitsandbytes').
inline constexpr std::array<float, 16> kNf4Values{-1.0f,
                                                  -0.6961928009986877f,
                                                  -0.5250730514526367f,
                                                  -0.39491748809814453f,
                                                  -0.28444138169288635f,
                                                  -0.18477343022823334f,
                                                  -0.09105003625154495f,
                                                  0.0f,
                                                  0.07958029955625534f,
                                                  0.16093020141124725f,
                                                  0.24611230194568634f,
                                                  0.33791524171829224f,
                                                  0.44070982933044434f,
                                                  0.5626170039176941f,
                                                  0.7229568362236023f,
                                                  1.0f};

// The signed 8-bit dynamic map (arXiv 2110.02861) as bitsandbytes' create_dynamic_map(signed=True,
// max_exponent_bits=7, total_bits=8) defines it: for each decade 10^(i-6), i = 0..6, the centres of
// 2^i equal parts of [0.1, 1] times the decade, and their negatives; then 0 and 1. Each value is
// rounded to float32 once. -1 is not in the map: the lowest value is -0.99297.
constexpr std::array<float, 256> dynamic8_values() {
  constexpr std::array kDecades{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0};
  constexpr std::size_t kZero = 127;
  std::array<float, 256> values{};
  std::size_t place = 1;  // distance from zero
  for (std::size_t i = 0; i < kDecades.size(); ++i) {
    const std::size_t parts = std::size_t{1} << i;
    for (std::size_t part = 0; part < parts; ++part, ++place) {
      const double centre =
          0.1 + 0.9 * (static_cast<double>(part) + 0.5) / static_cast<double>(parts);
      const auto value = static_cast<float>(kDecades[i] * centre);
      values[kZero + place] = value;
      values[kZero - place] = -value;
    }
  }
  values[255] = 1.0f;
  return values;
}
inline constexpr std::array<float, 256> kDynamic8Values = dynamic8_values();

// Codes of 0.
inline constexpr std::size_t kNf4Zero = 7;
inline constexpr std::size_t kDynamic8Zero = 127;

// Where the nearest value changes: a value above midpoint i is nearer to value i + 1; at the
// midpoint, the lower value is taken. In float32, (a + b) / 2.
template <std::size_t kValues>
constexpr std::array<float, kValues - 1> midpoints(const std::array<float, kValues>& values) {
  std::array<float, kValues - 1> between{};
  for (std::size_t i = 0; i + 1 < kValues; ++i) between[i] = (values[i] + values[i + 1]) / 2;
  return between;
}
inline constexpr std::array<float, 15> kNf4Midpoints = midpoints(kNf4Values);
inline constexpr std::array<float, 255> kDynamic8Midpoints = midpoints(kDynamic8Values);

}  // namespace codecs
