// SPDX-License-Identifier: Apache-2.0
// Once: values that are computed once for each key, from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace sim {

template <class Key, class Value>
class Once {
 public:
  // compute(), called for the first that asks; others wait for it. The value stays where it is.
  template <class Compute>
  const Value& of(const Key& key, const Compute& compute) {
    Entry& entry = at(key);
    std::call_once(entry.once, [&] { entry.value = compute(); });
    return *entry.value;
  }
  // Nothing unless of() has returned a value. Must not be called while of() computes this key's.
  [[nodiscard]] const Value* find(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() || !found->second.value ? nullptr : &*found->second.value;
  }
  // Keys asked for.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::once_flag once;
    std::optional<Value> value;
  };
  Entry& at(const Key& key) {
    const std::lock_guard lock(mutex_);
    return entries_[key];
  }

  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

}  // namespace sim
