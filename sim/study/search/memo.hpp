// SPDX-License-Identifier: Apache-2.0
// Memo: values that are computed once for each pair of keys, of which the second is only compared
// for equality, since few share the first.
#pragma once

#include <deque>
#include <map>
#include <utility>

namespace sim::study {

template <class Ordered, class Compared, class Value>
class Memo {
 public:
  // The value of the keys, which stays where it is; and whether it was added.
  std::pair<Value&, bool> at(const Ordered& ordered, const Compared& compared) {
    std::deque<std::pair<Compared, Value>>& same = values_[ordered];
    for (auto& [key, value] : same) {
      if (key == compared) return {value, false};
    }
    return {same.emplace_back(compared, Value{}).second, true};
  }

 private:
  std::map<Ordered, std::deque<std::pair<Compared, Value>>> values_;
};

}  // namespace sim::study
