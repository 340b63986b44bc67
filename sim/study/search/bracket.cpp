// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/bracket.hpp"

#include <algorithm>
#include <cmath>

namespace sim::study {
namespace {

// Of tries where a line would be 0. If the next one moved the same end again, the margin would be no line:
// the middle is tried.
constexpr int kMostInRow = 3;

// Where narrow() would end if the goal changed at `change`, between the ends of `known`.
Found ends_at(const Range& range, const Found& all, const Found& known, double change) {
  const auto met = [&](double value) {
    if (value == known.met || value == known.missed) return value == known.met;
    return (value < change) == (known.met < known.missed);
  };
  return narrow(range, all, met, [] {});
}

}  // namespace

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

Found bracket_by_margin(const Range& range, const std::function<double(double)>& margin,
                        const std::function<void()>& step) {
  step();
  const double at_lowest = margin(range.lowest);
  step();
  const double at_highest = margin(range.highest);
  const bool first = at_lowest > 0, last = at_highest > 0;
  if (first == last) {
    return {.met = range.lowest, .missed = range.highest, .ever = first, .always = first};
  }
  const Found all{.met = first ? range.lowest : range.highest,
                  .missed = first ? range.highest : range.lowest,
                  .ever = true};
  Found known = all;
  double above = first ? at_lowest : at_highest, below = first ? at_highest : at_lowest;
  bool met = false;
  for (int in_row = 0;;) {  // tries that moved the same end
    const double part = above / (above - below);
    const double change = in_row > kMostInRow
                              ? std::sqrt(known.met * known.missed)
                              : 1 / std::lerp(1 / known.met, 1 / known.missed, part);
    const Found ends = ends_at(range, all, known, change);
    if (ends.met == known.met && ends.missed == known.missed) return ends;
    const double tried = ends.met != known.met ? ends.met : ends.missed;
    step();
    const double found = margin(tried);
    in_row = in_row > kMostInRow || (found > 0) != met ? 1 : in_row + 1;
    met = found > 0;
    (met ? known.met : known.missed) = tried;
    (met ? above : below) = found;
    // An end that stays counts for less each time, or the other one would come closer ever more slowly
    // (the Illinois algorithm).
    if (in_row > 1) (met ? below : above) /= 2;
  }
}

int most_tries(const Range& range) {
  // log2 of the range over what ends the search.
  const double width =
      range.whole ? range.highest : std::log(range.highest / range.lowest) / std::log(range.close);
  return 2 + static_cast<int>(std::ceil(std::log2(width)));
}

}  // namespace sim::study
