// SPDX-License-Identifier: Apache-2.0
// Shared: a value that its copies share until one of them changes it, so that what is copied often and
// changed seldom costs a pointer.
#pragma once

#include <memory>
#include <utility>

namespace sim {

template <class Value>
class Shared {
 public:
  Shared() : value_(std::make_shared<Value>()) {}
  Shared(Value value) : value_(std::make_shared<Value>(std::move(value))) {}  // as the value itself

  [[nodiscard]] const Value& operator*() const { return *value_; }
  [[nodiscard]] const Value* operator->() const { return value_.get(); }
  // To change it, for this copy alone.
  [[nodiscard]] Value& own() {
    if (value_.use_count() != 1) value_ = std::make_shared<Value>(*value_);
    return *value_;
  }

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a.value_ == *b.value_;
  }

 private:
  std::shared_ptr<Value> value_;
};

}  // namespace sim
