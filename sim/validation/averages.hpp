// SPDX-License-Identifier: Apache-2.0
// Averages of one value at least.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace sim::validation {

[[nodiscard]] inline double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Between the two in the middle of an even number of them.
[[nodiscard]] inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace sim::validation
