// SPDX-License-Identifier: Apache-2.0
// Lists: many lists of values, whose values lie one behind the other. They are added whole and stay where
// they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace sim {

template <class Value>
class Lists {
 public:
  // A list of the values, in their order.
  void add(std::span<const Value> values) {
    add(values.size(), [&](std::size_t i) { return values[i]; });
  }
  // A list of make(0) to make(count - 1).
  template <class Make>
  void add(std::size_t count, Make make) {
    if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < count) {
      pieces_.emplace_back().reserve(std::max(kPiece, count));
    }
    std::vector<Value>& piece = pieces_.back();
    for (std::size_t i = 0; i < count; ++i) piece.push_back(make(i));
    lists_.push_back(std::span(piece).last(count));
  }
  [[nodiscard]] std::span<const Value> operator[](std::size_t list) const { return lists_[list]; }
  [[nodiscard]] std::size_t size() const { return lists_.size(); }

 private:
  static constexpr std::size_t kPiece = 1 << 12;
  std::vector<std::vector<Value>> pieces_;  // which never grow beyond what they were made for
  std::vector<std::span<const Value>> lists_;
};

}  // namespace sim
