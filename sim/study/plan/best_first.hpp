// SPDX-License-Identifier: Apache-2.0
// The search: best first, by lower bounds.
//
// Each candidate waits with a score that its time cannot better: from its group's bound, from its
// own first bound, then from the next ones, then from its simulation. The candidate with the
// lowest score is refined to the next; if it comes up already simulated, it is the best of all the
// rest. So the first ten to come up are the ten best, and every other simulated candidate had a
// bound below the tenth.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/study/plan/choices.hpp"

namespace sim::study {

// The score of a candidate whose step or round takes this many seconds; nothing if it is out of the
// question. Monotonic: with a longer time, the score does not fall and the candidate does not come
// back into question.
using Scoring = std::function<std::optional<Score>(std::size_t candidate, double seconds)>;

struct Ranked {
  std::size_t candidate = 0;
  Score score;
  double seconds = 0;
};

// The best `count` candidates; `exhaustive` simulates all. `jobs` are refined at a time.
struct Extent {
  std::size_t count = 1;
  bool exhaustive = false;
  int jobs = 1;
};

// Best first; fewer if no more are in question. `progress` is called now and then, from any thread.
[[nodiscard]] std::vector<Ranked> best_of(Choices& choices, const Scoring& scoring,
                                          const Extent& extent,
                                          const std::function<void(const Choices&)>& progress);

}  // namespace sim::study
