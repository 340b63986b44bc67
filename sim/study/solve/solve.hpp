// SPDX-License-Identifier: Apache-2.0
// The inverse of a simulation: the value of an unknown at which training meets a goal.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/solve/unknowns.hpp"

namespace sim::study {

// What training reaches, or at most costs. Tokens and dollars are those of sites that come and go, where
// they do: what they keep, for what they cost while they are there.
enum class Measure { utilisation, tokens_per_day, usd_per_million_tokens };

// Levels of a measure; or, where there are none, a scheme to beat in tokens per second: that of the
// job's last setup, by this name; or, without a name, the best of tokens or of dollars.
struct SolveGoal {
  Measure measure = Measure::utilisation;
  std::vector<double> levels;
  std::string beats;

  [[nodiscard]] bool is_best() const { return levels.empty() && beats.empty(); }
};

// For one setup and one goal.
struct Answer {
  std::string scheme, goal;
  Found found;
  double met = 0, missed = 0;          // figures in the unknown's unit
  std::string met_text, missed_text;   // the same as text
  bool fits_memory = true;             // the job in question
  std::optional<double> reached = {};  // of the measure, where the best was looked for
  bool at_end = false;                 // the best value is an end of what is searched
  std::string binds = {};              // what_binds() where no value meets the goal
};

// By question: the answer, and the least and the greatest that it likely is. The answer itself may be
// either: a faster GPU does not always need a faster network.
struct Answers {
  std::vector<Answer> as_is;
  std::vector<std::pair<Answer, Answer>> likely;
};

// The least and the greatest of the answers to one question with constants off in several ways.
[[nodiscard]] std::pair<Answer, Answer> ends_of(const std::vector<Answer>& answers);

// Throws InputError if a setup cannot be simulated with any value of the unknown, if the goal is a price
// and something has none, or if the best value is that of an unknown which has none.
void check(const Job& job, const Unknown& unknown, const SolveGoal& goal);
// The most simulations that solve() takes.
[[nodiscard]] int most_tries(const Job& job, const Unknown& unknown, const SolveGoal& goal);
// For each setup and each goal, `jobs` at a time. `step` is called before each try. The likely range of
// the bandwidth up to which one scheme beats another on a cluster is that of the break-even
// (sim/study/search/break_even.hpp).
[[nodiscard]] Answers solve(
    const Job& job, const Unknown& unknown, const SolveGoal& goal, int jobs = 1,
    const std::function<void()>& step = [] {});

}  // namespace sim::study
