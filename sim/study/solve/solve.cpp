// SPDX-License-Identifier: Apache-2.0
#include "sim/study/solve/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sim/base/once.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/prices.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"

namespace sim::study {
namespace {

// Where the answer is looked for again: GPUs off one way, the network and codecs the other, and the
// setup's speed relative to the one that it has to beat off by the model's own error. Each matters
// about as much where two setups are even, or half of the time is exposed, so each goes as far as
// leaves two of them together at the end of the likely range.
struct Variant {
  double compute = 0;  // in those spreads
  double ratio = 0;
};
constexpr double kEach = kLikelySpreads / std::numbers::sqrt2;
constexpr std::array kVariants{Variant{}, Variant{-kEach, -kEach}, Variant{-kEach, kEach},
                               Variant{kEach, -kEach}, Variant{kEach, kEach}};
constexpr double kUnlimitedSpeed = 1e6;  // times as fast as the cluster's NICs

// Where both setups can be simulated.
Range range_of(const Job& job, const Unknown& unknown, std::size_t setup, std::size_t other) {
  Range range = unknown.range;
  if (unknown.narrow) unknown.narrow(job, job.setups[setup].scheme, range);
  if (unknown.narrow) unknown.narrow(job, job.setups[other].scheme, range);
  return range;
}

std::size_t question_count(const Job& job, const SolveGoal& goal) {
  return goal.levels.empty() ? job.setups.size() - 1 : job.setups.size() * goal.levels.size();
}

std::string goal_text(const SolveGoal& goal, double level) {
  switch (goal.measure) {
    case Measure::tokens_per_day:
      return fmt::format("{:.4g} tokens a day", level);
    case Measure::usd_per_million_tokens:
      return fmt::format("{:.4g} USD per million tokens", level);
    case Measure::utilisation:
      break;
  }
  return fmt::format("utilisation {:.4g}", level);
}

double tokens_per_s(const Report& report) {
  return report.membership ? report.membership->tokens_per_s : report.tokens_per_s;
}

// Infinite where no tokens are trained.
double usd_per_million_tokens(const Report& report) {
  if (!(tokens_per_s(report) > 0)) return std::numeric_limits<double>::infinity();
  return report.membership ? report.membership->usd_per_million_tokens
                           : report.usd_per_million_tokens;
}

// Answers questions about one job, each setup with each goal, from any thread. Each value of the
// unknown is simulated once. Figures are those of `shown`, of which the job is off.
class Solver {
 public:
  Solver(const Job& shown, double compute, const Unknown& unknown, const SolveGoal& goal)
      : shown_(shown),
        job_(off_by(shown, {.compute = compute, .network = -compute, .codecs = -compute})),
        unknown_(unknown),
        goal_(goal) {}

  // With the first setup so many times as fast as simulated.
  Answer answer(std::size_t question, double ratio, const std::function<void()>& step) {
    const std::size_t other = job_.setups.size() - 1;
    if (goal_.levels.empty()) {
      return answer(
          question, other, "beats " + goal_.beats,
          [&](double value) { return is_faster(question, other, ratio, value); }, step);
    }
    const std::size_t setup = question / goal_.levels.size();
    const double level = goal_.levels[question % goal_.levels.size()];
    return answer(
        setup, setup, goal_text(goal_, level),
        [&](double value) { return reaches(level, setup, value); }, step);
  }

 private:
  Answer answer(std::size_t setup, std::size_t other, std::string goal,
                const std::function<bool(double)>& met, const std::function<void()>& step) {
    const Found found = bracket(range_of(job_, unknown_, setup, other), met, step);
    const double met_at = unknown_.figure(shown_, found.met);
    const double missed_at = unknown_.figure(shown_, found.missed);
    return {job_.setups[setup].scheme.name,
            std::move(goal),
            found,
            met_at,
            missed_at,
            unknown_.text(met_at),
            unknown_.text(missed_at),
            unknown_.needs_memory || fits_memory(job_, job_.setups[setup])};
  }

  const Report& at(std::size_t setup, double value) {
    return reports_.of({setup, value}, [&] {
      Job changed = job_;
      unknown_.set(changed, value);
      Report report = simulate(changed, changed.setups[setup]).report;
      const bool counts_kept = goal_.levels.empty() || goal_.measure != Measure::utilisation;
      if (counts_kept) report.membership = membership_of(changed, changed.setups[setup], report);
      return report;
    });
  }
  bool reaches(double level, std::size_t setup, double value) {
    if (goal_.measure == Measure::utilisation) return utilisation(setup, value) >= level;
    const Report& report = at(setup, value);
    if (unknown_.needs_memory && !report.fits_memory) return false;
    return goal_.measure == Measure::tokens_per_day ? tokens_per_s(report) * kDay_s >= level
                                                    : usd_per_million_tokens(report) <= level;
  }
  double utilisation(std::size_t setup, double value) {
    const Report& report = at(setup, value);
    if (unknown_.needs_memory && !report.fits_memory) return 0;
    return report.round ? report.round->utilisation
                        : at(setup, kUnlimitedSpeed).time_s / report.time_s;
  }
  bool is_faster(std::size_t setup, std::size_t other, double ratio, double value) {
    return tokens_per_s(at(setup, value)) * ratio > tokens_per_s(at(other, value));
  }

  const Job& shown_;
  const Job job_;
  const Unknown& unknown_;
  const SolveGoal& goal_;
  Once<std::pair<std::size_t, double>, Report> reports_;  // by setup and value
};

// Where the goal is met everywhere or nowhere, beyond the figures of the other answers: on which
// side says `greater_is_better`.
double place_of(const Answer& answer, bool greater_is_better) {
  if (answer.found.bracketed()) return answer.met;
  constexpr double kBeyond = std::numeric_limits<double>::infinity();
  return answer.found.ever == greater_is_better ? -kBeyond : kBeyond;
}

}  // namespace

std::pair<Answer, Answer> ends_of(const Answers& answers, std::size_t question) {
  std::vector<Answer> all{answers.as_is[question]};
  for (const std::vector<Answer>& off : answers.off) all.push_back(off[question]);
  const auto figure =
      std::ranges::find_if(all, [](const Answer& one) { return one.found.bracketed(); });
  if (figure == all.end()) return {all.front(), all.back()};
  const bool greater_is_better = figure->met > figure->missed;
  const auto [least, greatest] = std::ranges::minmax_element(
      all, {}, [&](const Answer& one) { return place_of(one, greater_is_better); });
  return {*least, *greatest};
}

void check(const Job& job, const Unknown& unknown, const SolveGoal& goal) {
  if (goal.measure == Measure::usd_per_million_tokens) {
    check_price(job, "usd-per-million-tokens");
  }
  for (std::size_t setup = 0; setup < job.setups.size(); ++setup) {
    static_cast<void>(range_of(job, unknown, setup, job.setups.size() - 1));
  }
}

int most_tries(const Job& job, const Unknown& unknown, const SolveGoal& goal) {
  return static_cast<int>(kVariants.size() * question_count(job, goal)) * most_tries(unknown.range);
}

Answers solve(const Job& job, const Unknown& unknown, const SolveGoal& goal, int jobs,
              const std::function<void()>& step) {
  // Variants of one job share what they simulate.
  std::array<Solver, 3> solvers{Solver(job, 0, unknown, goal), Solver(job, -kEach, unknown, goal),
                                Solver(job, kEach, unknown, goal)};
  const auto solver_of = [&](const Variant& variant) -> Solver& {
    return solvers[variant.compute == 0 ? 0 : variant.compute < 0 ? 1 : 2];
  };
  const std::size_t questions = question_count(job, goal);
  // Neighbours are of different jobs, and do not wait for each other's simulations.
  std::vector<Answer> all = in_parallel(jobs, kVariants.size() * questions, [&](std::size_t i) {
    const Variant& variant = kVariants[i % kVariants.size()];
    const double ratio = std::exp(variant.ratio * ratio_spread().of_logarithm);
    return solver_of(variant).answer(i / kVariants.size(), ratio, step);
  });
  Answers answers{.as_is = {}, .off = std::vector<std::vector<Answer>>(kVariants.size() - 1)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t variant = i % kVariants.size();
    (variant == 0 ? answers.as_is : answers.off[variant - 1]).push_back(std::move(all[i]));
  }
  return answers;
}

}  // namespace sim::study
