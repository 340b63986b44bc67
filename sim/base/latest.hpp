// SPDX-License-Identifier: Apache-2.0
// Latest: what was last computed, to be used again. From any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace sim {

template <class Value>
class Latest {
 public:
  using Shared = std::shared_ptr<const Value>;

  // Of values that are together as large as this; and the last one, however large.
  explicit Latest(std::int64_t most) : most_(most) {}

  // The latest that holds() is true of; or null.
  template <class Holds>
  [[nodiscard]] Shared find(Holds holds) const {
    const std::vector<Shared> all = values();
    const auto found = std::ranges::find_if(all, [&](const Shared& one) { return holds(*one); });
    return found == all.end() ? nullptr : *found;
  }

  // Keeps it and the few before it.
  void add(const Shared& value, std::int64_t size) {
    constexpr std::size_t kMost = 4;
    const std::lock_guard lock(mutex_);
    kept_.insert(kept_.begin(), {value, size});
    std::size_t kept = 0;
    for (std::int64_t all = 0; kept < std::min(kept_.size(), kMost); ++kept) {
      all += kept_[kept].size;
      if (kept > 0 && all > most_) break;
    }
    kept_.resize(kept);
  }

 private:
  struct Kept {
    Shared value;
    std::int64_t size = 0;
  };

  [[nodiscard]] std::vector<Shared> values() const {
    const std::lock_guard lock(mutex_);
    std::vector<Shared> values;
    for (const Kept& one : kept_) values.push_back(one.value);
    return values;
  }

  const std::int64_t most_;
  mutable std::mutex mutex_;
  std::vector<Kept> kept_;  // the latest first
};

}  // namespace sim
