// The search: best first, by lower bounds.
//
// Each candidate waits with a score that its time cannot better: of its group's bound, of its own
// first bound, then of the second one, then of its simulation. The one with the lowest score is refined to the next; one that
// is simulated when it comes up is the best of all that are left. So the first ten to come up are
// the ten best, and what is simulated besides them had a bound below the tenth.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "apps/plan/choices.hpp"

namespace apps {

// The score of a candidate whose step or round takes so many seconds; nothing where that is out of
// the question. Monotonic: neither the score falls nor does it come into question where the time
// rises.
using Scoring = std::function<std::optional<Score>(std::size_t candidate, double seconds)>;

struct Ranked {
  std::size_t candidate = 0;
  Score score;
  double seconds = 0;
};

// The best `count` of the candidates, best first; fewer where no more are in question. `exhaustive`
// simulates all of them. `progress` is called now and then.
[[nodiscard]] std::vector<Ranked> best_of(Choices& choices, const Scoring& scoring,
                                          std::size_t count, bool exhaustive,
                                          const std::function<void(const Choices&)>& progress);

}  // namespace apps
