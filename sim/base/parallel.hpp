// SPDX-License-Identifier: Apache-2.0
// Independent work on several cores, with the results of one core: neither their order nor their
// values depend on which thread is faster.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace sim {

// Calls f(0) to f(count - 1), which must not depend on each other, at most `jobs` at a time. If some
// throw, rethrows the exception of the first in this order, as one by one; calls after it may have
// been made.
void for_each_in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& f);

// The results of f(0) to f(count - 1), in this order.
template <class F>
[[nodiscard]] auto in_parallel(int jobs, std::size_t count, const F& f) {
  using Result = std::invoke_result_t<const F&, std::size_t>;
  static_assert(!std::is_same_v<Result, bool>, "neighbours in a vector of bool share a byte");
  std::vector<Result> results(count);
  for_each_in_parallel(jobs, count, [&](std::size_t i) { results[i] = f(i); });
  return results;
}

}  // namespace sim
