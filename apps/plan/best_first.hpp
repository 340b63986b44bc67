// The search: best first, by lower bounds.
//
// Each candidate waits with a score that its time cannot better: of its first bound in closed form,
// then of the bound of its schedule (sim::least_time()), then of its simulation. The one with the
// lowest score is refined to the next; one that is simulated when it comes up is the best of all
// that are left. So the first ten to come up are the ten best, and what is simulated besides them
// had a bound below the tenth.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/plan/first_bound.hpp"
#include "apps/plan/goal.hpp"
#include "apps/plan/space.hpp"
#include "sim/report/report.hpp"

namespace apps {

// What a search has done.
struct SearchCounts {
  std::int64_t bounded = 0;  // in closed form
  std::int64_t planned = 0;  // schedules, each for all speeds of its NICs
  std::int64_t simulated = 0;
};

// Times of the steps of a space's candidates: of each what is known, found out once. Every time
// that is simulated is compared with its bounds.
class CandidateTimes {
 public:
  explicit CandidateTimes(const Space& space) : space_(space) {}

  // Seconds that a step takes at least, and takes.
  [[nodiscard]] double first_bound(const Candidate& candidate);
  [[nodiscard]] double planned_bound(const Candidate& candidate);
  [[nodiscard]] const sim::StepReport& simulated(const Candidate& candidate);

  [[nodiscard]] const SearchCounts& counts() const { return counts_; }

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // layout, offer
  [[nodiscard]] static Key key(const Candidate& one) { return {one.layout, one.offer}; }

  const Space& space_;
  FirstBounds first_;
  std::map<std::size_t, FirstBound> first_bounds_;  // by layout
  std::map<Key, double> planned_bounds_;
  std::map<Key, sim::StepReport> reports_;
  SearchCounts counts_;
};

// The score of a candidate whose step takes so many seconds; nothing where that is out of the
// question. Monotonic: neither the score falls nor does it come into question where the time rises.
using Scoring = std::function<std::optional<Score>(const Candidate&, double step_s)>;

struct Ranked {
  Candidate candidate;
  Score score;
  double step_s = 0;
};

// The best `count` of the candidates, best first; fewer where no more are in question.
[[nodiscard]] std::vector<Ranked> best_first(std::span<const Candidate> candidates,
                                             const Scoring& scoring, std::size_t count,
                                             CandidateTimes& times,
                                             const std::function<void()>& progress);
// The same by simulating all of them.
[[nodiscard]] std::vector<Ranked> best_of_all(std::span<const Candidate> candidates,
                                              const Scoring& scoring, std::size_t count,
                                              CandidateTimes& times,
                                              const std::function<void()>& progress);

}  // namespace apps
