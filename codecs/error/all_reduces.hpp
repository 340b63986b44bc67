// SPDX-License-Identifier: Apache-2.0
// Means over ranks by methods with state, or with tensors of a particular shape, and their errors
// over many steps: LoCo, 1-bit Adam, SparseLoCo, DGC, PowerSGD. Each is measured by the ranks'
// inputs and outputs alone, so that figures are comparable.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "codecs/error/feedback_error.hpp"

namespace codecs {

// Each rank's gradient is a matrix, as PowerSGD requires.
struct AllReduceShape {
  std::size_t rows = 64;
  std::size_t columns = 128;
  std::size_t ranks = 8;

  [[nodiscard]] std::size_t elements() const { return rows * columns; }
};

// One step: takes the ranks' gradients, returns what every rank receives as their mean, and keeps
// the state of all ranks for the next step. Steps count from 0.
using AllReduceStep = std::function<std::vector<float>(std::span<const std::vector<float>> of_rank,
                                                       std::uint32_t step)>;

struct AllReduce {
  std::string_view name;     // "power_sgd_r4"
  std::string_view summary;  // one line for `list`
  // Starts with the state of a first step, which may depend on the seed.
  AllReduceStep (*start)(const AllReduceShape&, std::uint64_t seed) = nullptr;
  // Bits of all wires that a rank encodes in a step, or of its contributions to sums.
  std::size_t (*wire_bytes)(const AllReduceShape&) = nullptr;
  // The corresponding dense method returns the velocity of momentum SGD, not the mean.
  float momentum = 0;
};
[[nodiscard]] std::span<const AllReduce> all_reduces();
// Throws std::out_of_range with a text that lists the known names.
[[nodiscard]] const AllReduce& all_reduce_named(std::string_view name);

// With m the dense method's result of a step, r the received one, and owed = sum of m - sum of r so
// far, which under EF-SGD's feedback is the mean of the ranks' residuals:
struct AllReduceErrors {
  double first_step = 0;   // |m - r| / |m| of the first step, whose state is empty
  double contraction = 0;  // 1 - |owed|^2 / |m + owed before|^2, mean over the steps
  double residual = 0;     // |owed| / |m|, root mean square over the last quarter of the steps
  double running_sum = 0;  // |owed| / |sum of m|, after all steps
};
// `gradients` holds those of all ranks for the first step, then for the second, and so on.
[[nodiscard]] AllReduceErrors all_reduce_errors(const AllReduceStep& exchange, float momentum,
                                                std::size_t ranks,
                                                std::span<const std::vector<float>> gradients);
[[nodiscard]] AllReduceErrors all_reduce_errors(const AllReduce& method,
                                                const AllReduceShape& shape,
                                                std::span<const std::vector<float>> gradients,
                                                std::uint64_t seed);

}  // namespace codecs
