// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/bracket.hpp"

#include <algorithm>
#include <cmath>

namespace sim::study {

Found narrow(const Range& range, Found found, const std::function<bool(double)>& met,
             const std::function<void()>& step) {
  const auto open = [&] {
    if (range.whole) return std::abs(found.met - found.missed) > 1;
    return std::max(found.met / found.missed, found.missed / found.met) > range.close;
  };
  while (open()) {
    step();
    double middle = std::sqrt(found.met * found.missed);
    if (range.whole) {
      const auto [low, high] = std::minmax(found.met, found.missed);
      middle = std::clamp(std::round(middle), low + 1, high - 1);
    }
    (met(middle) ? found.met : found.missed) = middle;
  }
  return found;
}

// From the lowest value on, each time twice as far for whole numbers, whose large values cost most to
// simulate, and at once to the highest for the rest.
Found bracket(const Range& range, const std::function<bool(double)>& met,
              const std::function<void()>& step) {
  step();
  const bool at_lowest = met(range.lowest);
  double last = range.lowest;
  while (last < range.highest) {
    const double next = range.whole ? std::min(2 * last, range.highest) : range.highest;
    step();
    if (met(next) != at_lowest) {
      return narrow(
          range, {.met = at_lowest ? last : next, .missed = at_lowest ? next : last, .ever = true},
          met, step);
    }
    last = next;
  }
  return {.met = range.lowest, .missed = range.highest, .ever = at_lowest, .always = at_lowest};
}

int most_tries(const Range& range) {
  // log2 of the range over what ends the search.
  const double width =
      range.whole ? range.highest : std::log(range.highest / range.lowest) / std::log(range.close);
  return 2 + static_cast<int>(std::ceil(std::log2(width)));
}

}  // namespace sim::study
