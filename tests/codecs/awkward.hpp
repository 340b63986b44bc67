// SPDX-License-Identifier: Apache-2.0
// What the tests of kernels share: tensors with every special value, and comparison with references.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "codecs/bf16/bf16.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {

// Heavy tails. What was drawn from a seed is kept: it begins any longer tensor of that seed.
inline std::vector<float> heavy_tails(std::size_t elements, std::uint64_t seed) {
  static std::map<std::uint64_t, std::vector<float>> drawn;
  std::vector<float>& kept = drawn[seed];
  if (kept.size() < elements) {
    kept = draw(distribution_named("student_t3"), seed, std::max(elements, std::size_t{16'384}));
  }
  return {kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(elements)};
}

// These, and by element: a group of zeros, one of denormals, one near the largest float.
inline std::vector<float> awkward_values(std::size_t elements, std::uint64_t seed = 21) {
  std::vector<float> values = heavy_tails(elements, seed);
  for (std::size_t i = 0; i < elements; ++i) {
    if (i / 2048 == 1) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
    if (i / 2048 == 3) values[i] *= 0x1p-130f;
    if (i / 2048 == 5) values[i] *= 0x1p100f;
  }
  return values;
}

inline std::vector<float> with_value(std::vector<float> values, std::size_t at, float value) {
  if (at < values.size()) values[at] = value;
  return values;
}

inline std::vector<Bf16> as_bf16(const std::vector<float>& values) {
  std::vector<Bf16> rounded(values.size());
  std::ranges::transform(values, rounded.begin(), to_bf16);
  return rounded;
}

inline const std::vector<float>& as_floats(const std::vector<float>& values) { return values; }
inline std::vector<float> as_floats(const std::vector<Bf16>& values) {
  std::vector<float> floats(values.size());
  std::ranges::transform(values, floats.begin(), to_float);
  return floats;
}

// NaNs equal each other whatever their payload, which CPU and GPU propagate differently.
inline bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}
inline bool same(Bf16 a, Bf16 b) { return a == b; }
inline bool same(std::byte a, std::byte b) { return a == b; }

// Index of the first difference, or the size; 0 where the sizes differ.
template <typename T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return 0;
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0) return a.size();
  const auto equal = [](T x, T y) { return same(x, y); };
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), equal).first -
                                  a.begin());
}

}  // namespace codecs
