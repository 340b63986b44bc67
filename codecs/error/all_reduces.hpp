// Means over ranks by methods that have a state or a shape of their own, and what they lose over
// many steps: LoCo, 1-bit Adam, SparseLoCo, DGC, PowerSGD. Each is measured from outside, by what
// the ranks are given and what they receive, so that the figures of all mean the same.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "codecs/error/feedback_error.hpp"

namespace codecs {

// Each rank's gradient is a matrix, for PowerSGD's sake.
struct AllReduceShape {
  std::size_t rows = 64;
  std::size_t columns = 128;
  std::size_t ranks = 8;

  [[nodiscard]] std::size_t elements() const { return rows * columns; }
};

// One step: takes the ranks' gradients, gives what every rank receives for their mean, and keeps
// the state of all ranks for the next one. Steps count from 0.
using AllReduceStep = std::function<std::vector<float>(std::span<const std::vector<float>> of_rank,
                                                       std::uint32_t step)>;

struct AllReduce {
  std::string_view name;     // "power_sgd_r4"
  std::string_view summary;  // one line for `list`
  // With the state of a first step, which the seed may decide on.
  AllReduceStep (*start)(const AllReduceShape&, std::uint64_t seed) = nullptr;
  // Of all wires that a rank encodes in a step, or of its contributions to sums.
  std::size_t (*wire_bytes)(const AllReduceShape&) = nullptr;
  // The dense method that it stands for gives the velocity of momentum SGD, not the mean.
  float momentum = 0;
};
[[nodiscard]] std::span<const AllReduce> all_reduces();
// Throws std::out_of_range whose text names the known ones.
[[nodiscard]] const AllReduce& all_reduce_named(std::string_view name);

// With m the dense method's result of a step, r what is received, and owed = sum of m - sum of r so
// far, which under EF-SGD's feedback is the mean of the ranks' residuals:
struct AllReduceErrors {
  double first_step = 0;   // |m - r| / |m| of the first step, whose state is empty
  double contraction = 0;  // 1 - |owed|^2 / |m + owed before|^2, mean over the steps
  double residual = 0;     // |owed| / |m|, root mean square over the last quarter of the steps
  double running_sum = 0;  // |owed| / |sum of m|, after all steps
};
// `gradients` are those of all ranks of the first step, then of the second, and so on.
[[nodiscard]] AllReduceErrors all_reduce_errors(const AllReduceStep& exchange, float momentum,
                                                std::size_t ranks,
                                                std::span<const std::vector<float>> gradients);
[[nodiscard]] AllReduceErrors all_reduce_errors(const AllReduce& method,
                                                const AllReduceShape& shape,
                                                std::span<const std::vector<float>> gradients,
                                                std::uint64_t seed);

}  // namespace codecs
