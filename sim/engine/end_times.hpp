// SPDX-License-Identifier: Apache-2.0
// EndTimes: when each of very many flows ends, and which ends first. They lie in blocks, so that one
// that changes has only its own block searched again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace sim {

class EndTimes {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  void resize(std::size_t flows) {
    ends_s_.resize(flows, kNever);
    firsts_s_.resize((flows + kBlock - 1) / kBlock, kNever);
    stale_.resize(firsts_s_.size());
  }
  void set(std::size_t flow, double end_s) {
    ends_s_[flow] = end_s;
    stale_[flow / kBlock] = true;
  }
  [[nodiscard]] double first_s() {
    for (std::size_t block = 0; block < stale_.size(); ++block) {
      if (stale_[block]) search(block);
    }
    return firsts_s_.empty() ? kNever : *std::ranges::min_element(firsts_s_);
  }
  // Those that end until then, in the order of their numbers.
  [[nodiscard]] std::vector<std::size_t> until(double time_s) const {
    std::vector<std::size_t> due;
    for (std::size_t block = 0; block < firsts_s_.size(); ++block) {
      if (!stale_[block] && firsts_s_[block] > time_s) continue;
      for (std::size_t flow = block * kBlock; flow < end_of(block); ++flow) {
        if (ends_s_[flow] <= time_s) due.push_back(flow);
      }
    }
    return due;
  }

 private:
  static constexpr std::size_t kBlock = 64;

  [[nodiscard]] std::size_t end_of(std::size_t block) const {
    return std::min(ends_s_.size(), (block + 1) * kBlock);
  }
  void search(std::size_t block) {
    double first_s = kNever;
    for (std::size_t flow = block * kBlock; flow < end_of(block); ++flow) {
      const double end_s = ends_s_[flow];
      if (end_s < first_s) first_s = end_s;
    }
    firsts_s_[block] = first_s;
    stale_[block] = false;
  }

  std::vector<double> ends_s_;
  std::vector<double> firsts_s_;  // by block
  std::vector<bool> stale_;       // by block: its first one is to be searched
};

}  // namespace sim
