// SPDX-License-Identifier: Apache-2.0
// Rates of kernels of others, published or measured, beside what their machine code says (sim/times/compiled.hpp), and
// beside plain arithmetic: bytes over the bandwidth of a copy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sim::validation {

// A time that is at most this many times that of a copy of its bytes counts as bound by memory.
inline constexpr double kMemoryBound = 1.25;

// The overlap of blocks was fitted to some rows, which do not count. Those that this project measured itself
// are no published rates, but count beside them.
enum class RateRole { counted, fitted, measured };

struct KernelRate {
  std::string kernel, gpu;
  RateRole role = RateRole::counted;
  double published_s = 0, predicted_s = 0, copy_s = 0;
  std::string pipe;  // that is busiest
  [[nodiscard]] double error() const { return predicted_s / published_s - 1; }
  [[nodiscard]] bool same_side() const {
    return (published_s <= kMemoryBound * copy_s) == (predicted_s <= kMemoryBound * copy_s);
  }
};

// Of traces/published/kernel_rates.csv. From the folder that contains topologies and traces.
[[nodiscard]] std::vector<KernelRate> compare_kernel_rates(const std::filesystem::path& folder);

}  // namespace sim::validation
