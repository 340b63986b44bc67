// SPDX-License-Identifier: Apache-2.0
// The extent of the measurements: sizes, number of buffers, time.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace calibrate {

struct Sizes {
  std::size_t min_bytes = std::size_t{1} << 20;  // of float32 input, over all inputs
  std::size_t max_bytes = std::size_t{1} << 32;
};

// Device memory for the measurements of one size, relative to that size: input, model, residual,
// wires, output and decoded values, and a codec's scratch.
inline constexpr double kMemoryPerInput = 7;

// Doubling, from the smallest to the largest that fits into `free_bytes`.
[[nodiscard]] std::vector<std::size_t> sizes_that_fit(const Sizes& sizes, std::size_t free_bytes);

// The subset of these sizes at which kernels are measured. Up to 64 MiB, where a launch and the
// bytes take about equally long, every other one: between them the simulator interpolates in the
// logarithms of size and time, which misses a time a + b bytes by at most 6 %, where a = b bytes.
// Above, where time grows with the bytes, only the largest.
[[nodiscard]] std::vector<std::size_t> kernel_sizes(const Sizes& sizes, std::size_t free_bytes);

// Buffers of `bytes` to rotate through, so that a launch's data has been evicted from a cache of
// `cache_bytes` by the launches since; at most as many as fit into `free_bytes`.
[[nodiscard]] std::size_t copies(std::size_t bytes, std::size_t cache_bytes,
                                 std::size_t free_bytes);

// Seconds for each remaining measurement, so that the whole run stays within its time.
class Budget {
 public:
  explicit Budget(double total_s) : total_s_(total_s) {}
  // A part with this many rows begins.
  void expect(std::size_t rows);
  // For the next one.
  [[nodiscard]] double next_s();
  [[nodiscard]] double elapsed_s() const;
  [[nodiscard]] std::size_t left() const { return left_; }
  // Remaining time of the part at its pace so far: more while sizes still grow.
  [[nodiscard]] double remaining_s() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double total_s_;
  double part_start_s_ = 0;
  std::size_t done_ = 0;
  std::size_t left_ = 0;
};

// Time for one row, from the remaining time and the rows that share it.
[[nodiscard]] double row_budget_s(double left_s, std::size_t rows);

}  // namespace calibrate
