// SPDX-License-Identifier: Apache-2.0
#include "sim/study/solve/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/once.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/prices.hpp"
#include "sim/study/search/best_value.hpp"
#include "sim/study/search/break_even.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"
#include "sim/study/solve/what_binds.hpp"

namespace sim::study {
namespace {

// Where the answer is looked for again: GPUs off, and the network and codecs with them where the goal is
// a speed or a price, and the other way where it is a utilisation or a ratio, whichever changes it most;
// and off as well, a month of sites that come and go, or the setup's speed relative to the one that it
// has to beat, by the model's own error and by how much months matter more to the one. Each matters
// about as much where two setups are even, or half of the time is exposed, so each goes as far as leaves
// two of them together at the end of the likely range.
struct Variant {
  double compute = 0;  // in those spreads
  double other = 0;
};
constexpr double kEach = kLikelySpreads / std::numbers::sqrt2;
constexpr std::array kVariants{Variant{}, Variant{-kEach, -kEach}, Variant{-kEach, kEach},
                               Variant{kEach, -kEach}, Variant{kEach, kEach}};
constexpr double kUnlimitedSpeed = 1e6;  // times as fast as the cluster's NICs

// Where both setups can be simulated.
Range range_of(const Job& job, const Unknown& unknown, std::size_t setup, std::size_t other) {
  Range range = unknown.range;
  if (unknown.narrow) unknown.narrow(job, job.setups[setup], range);
  if (unknown.narrow && other != setup) unknown.narrow(job, job.setups[other], range);
  return range;
}

std::size_t question_count(const Job& job, const SolveGoal& goal) {
  if (goal.is_best()) return job.setups.size();
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

// In a month that is off by so many of its spreads.
double tokens_per_s(const Report& report, double spreads = 0) {
  if (!report.membership) return report.tokens_per_s;
  const MembershipFigures& months = *report.membership;
  if (spreads == 0 || !(months.tokens_per_s > 0)) return months.tokens_per_s;
  const double end = spreads < 0 ? months.tokens_per_s_low : months.tokens_per_s_high;
  return months.tokens_per_s *
         std::pow(end / months.tokens_per_s, std::abs(spreads) / kLikelySpreads);
}

// Infinite where no tokens are trained.
double usd_per_million_tokens(const Report& report, double spreads = 0) {
  const double tokens = tokens_per_s(report);
  if (!(tokens > 0)) return std::numeric_limits<double>::infinity();
  const double usd =
      report.membership ? report.membership->usd_per_million_tokens : report.usd_per_million_tokens;
  return usd * tokens / tokens_per_s(report, spreads);
}

// Of the logarithm of the ratio of what is kept in a month. Both see the same comings and goings.
double spread_of_months(const Report& one, const Report& other) {
  if (!one.membership || !other.membership) return 0;
  std::vector<double> ratios;
  for (std::size_t month = 0; month < one.membership->months.size(); ++month) {
    ratios.push_back(std::log(one.membership->months[month] / other.membership->months[month]));
  }
  if (!std::ranges::all_of(ratios, [](double ratio) { return std::isfinite(ratio); })) return 0;
  std::ranges::sort(ratios);
  const auto rank = [&](double share) {
    return ratios[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(ratios.size() - 1)))];
  };
  return ratios.empty() ? 0 : (rank(0.9) - rank(0.1)) / 2 / kLikelySpreads;
}

double factor_of(const Variant& variant, const Report& one, const Report& other) {
  if (variant.other == 0) return 1;
  const double spread = std::hypot(ratio_spread().of_logarithm, spread_of_months(one, other));
  return std::exp(variant.other * spread);
}

bool is_of_speed(const SolveGoal& goal) {
  return !goal.levels.empty() && goal.measure != Measure::utilisation;
}

Off off_for(double compute, const SolveGoal& goal) {
  const double others = is_of_speed(goal) ? compute : -compute;
  return {.compute = compute, .network = others, .codecs = others};
}

// Answers questions about one job, each setup with each goal, from any thread. Each value of the
// unknown is simulated once. Figures are those of `shown`, of which the job is off.
class Solver {
 public:
  Solver(const Job& shown, double compute, const Unknown& unknown, const SolveGoal& goal)
      : shown_(shown),
        job_(off_by(shown, off_for(compute, goal))),
        unknown_(unknown),
        goal_(goal) {}

  Answer answer(std::size_t question, const Variant& variant, const std::function<void()>& step) {
    const std::size_t other = job_.setups.size() - 1;
    if (goal_.is_best()) return best(question, step);
    if (goal_.levels.empty()) {
      return answer(
          question, other, "beats " + goal_.beats,
          [&](double value) { return is_faster(question, other, variant, value); }, step);
    }
    const std::size_t setup = question / goal_.levels.size();
    const double level = goal_.levels[question % goal_.levels.size()];
    return answer(
        setup, setup, goal_text(goal_, level),
        [&](double value) { return reaches(level, setup, variant, value); }, step);
  }

 private:
  Answer answer(std::size_t setup, std::size_t other, std::string goal,
                const std::function<bool(double)>& met, const std::function<void()>& step) {
    const Range range = range_of(job_, unknown_, setup, other);
    Found found = bracket(range, met, step);
    if (!found.ever && unknown_.prefers != Prefers::none) {
      found = met_amid(range, setup, other, found, met, step);
    }
    const double met_at = unknown_.figure(shown_, found.met);
    const double missed_at = unknown_.figure(shown_, found.missed);
    return {.scheme = job_.setups[setup].scheme.name,
            .goal = std::move(goal),
            .found = found,
            .met = met_at,
            .missed = missed_at,
            .met_text = unknown_.text(met_at),
            .missed_text = unknown_.text(missed_at),
            .fits_memory = unknown_.needs_memory || fits_memory(job_, job_.setups[setup]),
            .binds = found.ever ? "" : binds_at_best(range, setup, other)};
  }

  // What the setup waits for at the end of the range that is nearer to the goal: "at 10000 Gbps it is bound by
  // latency (83 % of the round)".
  std::string binds_at_best(const Range& range, std::size_t setup, std::size_t other) {
    const bool highest =
        score_of(setup, other, range.highest) >= score_of(setup, other, range.lowest);
    const double best = highest ? range.highest : range.lowest;
    Job changed = job_;
    unknown_.set(changed, best);
    return fmt::format("at {} it is bound by {}", unknown_.text(unknown_.figure(shown_, best)),
                       what_binds(changed, changed.setups[setup], at(setup, best)));
  }

  Answer best(std::size_t setup, const std::function<void()>& step) {
    const Range range = range_of(job_, unknown_, setup, setup);
    const bool of_price = goal_.measure == Measure::usd_per_million_tokens;
    const auto score = [&](double value) { return score_of(setup, setup, value); };
    const BestValue found = best_value(range, unknown_.prefers == Prefers::greatest, score, step);
    const bool trains = std::isfinite(found.score) && found.score != 0;
    const double low = trains ? found.value : range.lowest;
    const double high = trains ? found.value : range.highest;
    Answer answer{.scheme = job_.setups[setup].scheme.name,
                  .goal = of_price ? "lowest price" : "most tokens",
                  .found = {.met = low, .missed = high, .ever = trains},
                  .met = unknown_.figure(shown_, low),
                  .missed = unknown_.figure(shown_, high),
                  .fits_memory = fits_memory(job_, job_.setups[setup])};
    answer.met_text = unknown_.text(answer.met);
    answer.missed_text = unknown_.text(answer.missed);
    if (trains) answer.reached = std::abs(found.score);
    answer.at_end = trains && (found.value == range.lowest || found.value == range.highest);
    return answer;
  }

  // Neither end of the range meets the goal; the best value between them may, as does a deadline that
  // is neither too short nor too long.
  Found met_amid(const Range& range, std::size_t setup, std::size_t other, const Found& nowhere,
                 const std::function<bool(double)>& met, const std::function<void()>& step) {
    const bool greatest = unknown_.prefers == Prefers::greatest;
    const auto score = [&](double value) { return score_of(setup, other, value); };
    const double best = best_value(range, greatest, score, step).value;
    if (!met(best)) return nowhere;
    const double missed = greatest ? range.highest : range.lowest;
    return narrow(range, {.met = best, .missed = missed, .ever = true}, met, step);
  }
  // The more, the better, or the sooner a goal is met: a price is negative.
  double score_of(std::size_t setup, std::size_t other, double value) {
    const Report& report = at(setup, value);
    if (!goal_.beats.empty()) return tokens_per_s(report) / tokens_per_s(at(other, value));
    switch (goal_.measure) {
      case Measure::tokens_per_day:
        return tokens_per_s(report) * kDay_s;
      case Measure::usd_per_million_tokens:
        return -usd_per_million_tokens(report);
      case Measure::utilisation:
        break;
    }
    return utilisation(setup, value);
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
  bool reaches(double level, std::size_t setup, const Variant& variant, double value) {
    if (goal_.measure == Measure::utilisation) return utilisation(setup, value) >= level;
    const Report& report = at(setup, value);
    if (unknown_.needs_memory && !report.fits_memory) return false;
    return goal_.measure == Measure::tokens_per_day
               ? tokens_per_s(report, variant.other) * kDay_s >= level
               : usd_per_million_tokens(report, variant.other) <= level;
  }
  double utilisation(std::size_t setup, double value) {
    const Report& report = at(setup, value);
    if (unknown_.needs_memory && !report.fits_memory) return 0;
    return report.round ? report.round->utilisation
                        : at(setup, kUnlimitedSpeed).time_s / report.time_s;
  }
  bool is_faster(std::size_t setup, std::size_t other, const Variant& variant, double value) {
    const Report& one = at(setup, value);
    const Report& beaten = at(other, value);
    return tokens_per_s(one) * factor_of(variant, one, beaten) > tokens_per_s(beaten);
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

bool is_break_even(const Job& job, const SolveGoal& goal) {
  return !job.inner && !goal.beats.empty();
}

// The other way around where the setup is the faster one from that bandwidth on.
std::pair<Answer, Answer> ends_of_break_even(const Job& job, const Unknown& unknown,
                                             std::size_t setup, const Answer& answer) {
  if (!answer.found.bracketed()) return {answer, answer};
  const bool is_from = answer.met > answer.missed;
  const std::span one(&job.setups[setup], 1), beaten(&job.setups.back(), 1);
  Found found = answer.found;
  if (is_from) std::swap(found.met, found.missed);
  StepTimes times(job);
  const BreakEvenEnds ends =
      likely_ends(job, is_from ? beaten : one, is_from ? one : beaten, times, found);
  const auto at = [&](double factor) {
    Answer end = answer;
    const bool everywhere = is_from ? factor == 0 : std::isinf(factor);
    const bool inside = factor > 0 && std::isfinite(factor);
    end.found = {factor, factor, inside || everywhere, everywhere};
    end.met = end.missed = unknown.figure(job, factor);
    end.met_text = end.missed_text = unknown.text(end.met);
    return end;
  };
  return {at(ends.low), at(ends.high)};
}

}  // namespace

std::pair<Answer, Answer> ends_of(const std::vector<Answer>& all) {
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
    check_price(job, goal.is_best() ? "best" : "usd-per-million-tokens");
  }
  if (goal.is_best() && unknown.prefers == Prefers::none) {
    throw InputError(fmt::format(
        "`best`: the best {} is as much, or as little, as there can be; write a goal to reach",
        unknown.name));
  }
  for (std::size_t setup = 0; setup < job.setups.size(); ++setup) {
    static_cast<void>(range_of(job, unknown, setup, job.setups.size() - 1));
  }
}

int most_tries(const Job& job, const Unknown& unknown, const SolveGoal& goal) {
  const int tries = goal.is_best() ? most_best_tries(unknown.range) : most_tries(unknown.range);
  const std::size_t variants = is_break_even(job, goal) ? 1 : kVariants.size();
  return static_cast<int>(variants * question_count(job, goal)) * tries;
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
  const bool break_even = is_break_even(job, goal);
  const std::size_t variants = break_even ? 1 : kVariants.size();
  // Neighbours are of different jobs, and do not wait for each other's simulations.
  const std::vector<Answer> all = in_parallel(jobs, variants * questions, [&](std::size_t i) {
    const Variant& variant = kVariants[i % variants];
    return solver_of(variant).answer(i / variants, variant, step);
  });
  Answers answers;
  for (std::size_t question = 0; question < questions; ++question) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(question * variants);
    answers.as_is.push_back(*first);
    answers.likely.push_back(break_even
                                 ? ends_of_break_even(job, unknown, question, *first)
                                 : ends_of({first, first + static_cast<std::ptrdiff_t>(variants)}));
  }
  return answers;
}

}  // namespace sim::study
