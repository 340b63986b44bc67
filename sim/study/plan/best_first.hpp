// SPDX-License-Identifier: Apache-2.0
// The search: best first, by lower bounds.
//
// Each candidate waits with a score that its time cannot better: from its group's bound, from its
// own first bound, then from the next ones, then from its simulation. The candidate with the
// lowest score is refined to the next; if it comes up already simulated, it is the best of all the
// rest. So every other simulated candidate had a bound below the last one that came up.
//
// With a gap, a simulated candidate comes up as if it were faster by that much: what waits behind it may
// be better by the gap, but not by more, and is not simulated.
#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/study/plan/choices.hpp"

namespace sim::study {

// The score of a candidate whose step or round takes this many seconds; nothing if it is out of the
// question. Monotonic: with a longer time, the score does not fall and the candidate does not come
// back into question; nor does it in the course of a search.
using Scoring = std::function<std::optional<Score>(std::size_t candidate, double seconds)>;

struct Ranked {
  std::size_t candidate = 0;
  Score score;
  double seconds = 0;
};

// `exhaustive` simulates all first, whatever the gap. `jobs` are refined at a time.
struct Extent {
  double gap = 0;  // of a time: 0.02 is 2 %
  bool exhaustive = false;
  int jobs = 1;
  // Candidates refined before the next look at what is best: the same for any number of jobs, so that neither the
  // result nor what is simulated depends on that. Fewer than these are refined in vain, at the end of the search.
  std::size_t wave = 8;
};

class BestFirst {
 public:
  // `progress` is called now and then, from any thread.
  BestFirst(Choices& choices, Scoring scoring, const Extent& extent,
            std::function<void(const Choices&)> progress);

  // Best first; nothing if no more are in question.
  std::optional<Ranked> next();

 private:
  enum class Known { group, first_bound, second_bound, third_bound, simulated };

  struct Waiting {
    Score score;
    Known known;
    std::size_t candidate;  // the order of equal ones
    double seconds;

    // What is known best comes first among equals, so that nothing more is found out than needed.
    [[nodiscard]] auto order() const {
      return std::tuple(score, -static_cast<int>(known), candidate);
    }
    friend bool operator>(const Waiting& a, const Waiting& b) { return a.order() > b.order(); }
  };

  [[nodiscard]] std::optional<Waiting> waiting(std::size_t candidate, Known known,
                                               double seconds) const;
  void push(std::size_t candidate, Known known, double seconds);
  void push_all_simulated();
  [[nodiscard]] double refined(const Waiting& one) const;
  void refine(const std::vector<Waiting>& wave);
  void open(const Waiting& group);

  Choices& choices_;
  const Scoring scoring_;
  const Extent extent_;
  const std::function<void(const Choices&)> progress_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue_;
};

}  // namespace sim::study
