// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/plan.hpp"

#include <algorithm>

namespace calibrate {
namespace {

constexpr double kShareOfMemory = 0.9;
constexpr std::size_t kSettledBytes = std::size_t{64} << 20;
constexpr std::size_t kCacheTimes = 4;
constexpr std::size_t kMostCopies = 256;
// A row that is quick leaves its share to the others; one that is slow may take several shares.
constexpr double kShares = 4;
constexpr double kLeastRow = 5e-3, kLongestRow = 0.5;

}  // namespace

std::vector<std::size_t> sizes_that_fit(const Sizes& sizes, std::size_t free_bytes) {
  std::vector<std::size_t> result;
  const double most = kShareOfMemory * static_cast<double>(free_bytes) / kMemoryPerInput;
  for (std::size_t bytes = sizes.min_bytes; bytes <= sizes.max_bytes; bytes *= 2) {
    if (static_cast<double>(bytes) <= most) result.push_back(bytes);
  }
  return result;
}

std::vector<std::size_t> kernel_sizes(const Sizes& sizes, std::size_t free_bytes) {
  const std::vector<std::size_t> all = sizes_that_fit(sizes, free_bytes);
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool last = i + 1 == all.size();
    if (last || (i % 2 == 0 && all[i] <= kSettledBytes)) result.push_back(all[i]);
  }
  return result;
}

std::size_t copies(std::size_t bytes, std::size_t cache_bytes, std::size_t free_bytes) {
  const std::size_t wanted = kCacheTimes * cache_bytes / std::max<std::size_t>(bytes, 1) + 1;
  const double fit = kShareOfMemory * static_cast<double>(free_bytes) /
                     (kMemoryPerInput * static_cast<double>(bytes));
  const std::size_t most = std::max<std::size_t>(1, static_cast<std::size_t>(fit));
  return std::min({wanted, most, kMostCopies});
}

double row_budget_s(double left_s, std::size_t rows) {
  const double share = kShares * left_s / static_cast<double>(std::max<std::size_t>(rows, 1));
  return std::clamp(share, kLeastRow, kLongestRow);
}

void Budget::expect(std::size_t rows) {
  part_start_s_ = elapsed_s();
  done_ = 0;
  left_ = rows;
}

double Budget::next_s() {
  const double seconds = row_budget_s(total_s_ - elapsed_s(), left_);
  ++done_;
  if (left_ > 0) --left_;
  return seconds;
}

double Budget::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Budget::remaining_s() const {
  return done_ == 0 ? 0
                    : (elapsed_s() - part_start_s_) / static_cast<double>(done_) *
                          static_cast<double>(left_);
}

}  // namespace calibrate
