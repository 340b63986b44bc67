// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "codecs/sums/sums.hpp"

namespace codecs {
namespace {

// Parts of `size` values each, the last of which may be short.
std::span<const float> part(std::span<const float> values, std::size_t size, std::size_t index) {
  const std::size_t first = std::min(index * size, values.size());
  return values.subspan(first, std::min(size, values.size() - first));
}

float sum_lane(std::span<const float> lane, Term term) {
  float sum = 0;
  for (const float value : lane) {
    if (term == Term::square) {
      sum = std::fma(value, value, sum);
    } else {
      sum += term == Term::magnitude ? std::abs(value) : value;
    }
  }
  return sum;
}

// A binary tree of neighbours; the number of terms is a power of two.
template <std::size_t kCount>
float sum_pairwise(std::array<float, kCount> terms) {
  for (std::size_t stride = 1; stride < kCount; stride *= 2) {
    for (std::size_t i = 0; i < kCount; i += 2 * stride) terms.at(i) += terms.at(i + stride);
  }
  return terms[0];
}

float sum_tile(std::span<const float> tile, Term term) {
  std::array<float, kSumTile / kSumLane> lanes{};
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes.at(i) = sum_lane(part(tile, kSumLane, i), term);
  }
  return sum_pairwise(lanes);
}

}  // namespace

float sum_group(std::span<const float> group, Term term) {
  float sum = 0;
  for (std::size_t i = 0; i * kSumTile < group.size(); ++i) {
    sum += sum_tile(part(group, kSumTile, i), term);
  }
  return sum;
}

float sum_tensor(std::span<const float> tensor, Term term) {
  std::vector<float> strips((tensor.size() + kSumStrip - 1) / kSumStrip);
  for (std::size_t i = 0; i < strips.size(); ++i) {
    strips[i] = sum_group(part(tensor, kSumStrip, i), term);
  }
  return sum_strips(strips);
}

float sum_strips(std::span<const float> strips) {
  std::array<float, kSumTerms> terms{};
  for (std::size_t i = 0; i < strips.size(); ++i) terms.at(i % kSumTerms) += strips[i];
  return sum_pairwise(terms);
}

}  // namespace codecs
