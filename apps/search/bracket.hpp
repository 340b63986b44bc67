// Searches for where a goal begins, or stops, to be met.
#pragma once

#include <functional>

namespace apps {

// Searched in its logarithm.
struct Range {
  double lowest = 0, highest = 0;
  bool whole = false;  // whole numbers
};

struct Found {
  double met = 0;       // the goal is met there
  double missed = 0;    // and not there
  bool ever = false;    // met anywhere
  bool always = false;  // met at both ends
  [[nodiscard]] bool bracketed() const { return ever && !always; }
};

// Assumes that the goal changes once over the range. `step` is called before each try. The ends of
// what is found are neighbours, or within 1 % where they are no whole numbers.
[[nodiscard]] Found bracket(const Range& range, const std::function<bool(double)>& met,
                            const std::function<void()>& step);
// Tries that it takes at most.
[[nodiscard]] int most_tries(const Range& range);

}  // namespace apps
