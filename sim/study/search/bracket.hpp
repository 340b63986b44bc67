// SPDX-License-Identifier: Apache-2.0
// Searches for the value at which a goal starts or stops being met.
#pragma once

#include <functional>

namespace sim::study {

// Searched in its logarithm.
struct Range {
  double lowest = 0, highest = 0;
  bool whole = false;   // whole numbers
  double close = 1.01;  // of a bracket's ends, where they are no whole numbers
};

struct Found {
  double met = 0;       // a value that meets the goal
  double missed = 0;    // a value that does not
  bool ever = false;    // met anywhere
  bool always = false;  // met at both ends
  [[nodiscard]] bool bracketed() const { return ever && !always; }
};

// Assumes that the goal changes once over the range. `step` is called before each try. The
// resulting ends are neighbours, or close unless they are whole numbers.
[[nodiscard]] Found bracket(const Range& range, const std::function<bool(double)>& met,
                            const std::function<void()>& step);
// The same between two values of which one meets the goal and the other does not.
[[nodiscard]] Found narrow(const Range& range, Found found, const std::function<bool(double)>& met,
                           const std::function<void()>& step);
// The same ends as bracket()'s with fewer tries, of a goal that is met where `margin` is above 0: tries
// where a margin that is linear in the inverse of the value, as times are in bandwidths, would be 0.
[[nodiscard]] Found bracket_by_margin(const Range& range,
                                      const std::function<double(double)>& margin,
                                      const std::function<void()>& step);
// The most tries that bracket() takes.
[[nodiscard]] int most_tries(const Range& range);

}  // namespace sim::study
