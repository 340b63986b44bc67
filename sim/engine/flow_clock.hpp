// SPDX-License-Identifier: Apache-2.0
// FlowClock: when flows end that have the same rate for each of their channels, whatever that rate does
// meanwhile. It counts what a channel has moved, so that a flow ends at a count that stays as it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace sim {

class FlowClock {
 public:
  using FlowId = std::uint32_t;
  struct End {
    double at;  // count
    FlowId flow;
    bool operator>(const End& other) const { return at > other.at; }
  };

  [[nodiscard]] double level() const { return level_; }
  [[nodiscard]] double count(double now_s) const {
    return counted_ + level_ * (now_s - updated_s_);
  }
  void set_level(double level, double now_s) {
    counted_ = count(now_s);
    updated_s_ = now_s;
    level_ = level;
  }

  void add(FlowId flow, double at) {
    ends_.push_back({at, flow});
    std::ranges::push_heap(ends_, std::greater{});
  }
  // The first end, without those that do not hold; `holds` takes an End.
  template <class Holds>
  [[nodiscard]] const End* first(const Holds& holds) {
    while (!ends_.empty() && !holds(ends_.front())) pop();
    return ends_.empty() ? nullptr : &ends_.front();
  }
  void pop() {
    std::ranges::pop_heap(ends_, std::greater{});
    ends_.pop_back();
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  template <class Holds>
  void keep(const Holds& holds) {
    std::erase_if(ends_, [&](const End& end) { return !holds(end); });
    std::ranges::make_heap(ends_, std::greater{});
  }
  [[nodiscard]] double time_s(const End& end) const {
    return updated_s_ + (end.at - counted_) / level_;
  }

 private:
  double level_ = 0;
  double counted_ = 0;  // at updated_s_
  double updated_s_ = 0;
  std::vector<End> ends_;  // a heap
};

}  // namespace sim
