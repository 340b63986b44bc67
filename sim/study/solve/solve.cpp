// SPDX-License-Identifier: Apache-2.0
#include "sim/study/solve/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "sim/study/search/efficiency_range.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"

namespace sim::study {
namespace {

constexpr double kUnlimited = 1e6;  // times as fast as the cluster's NICs

// Reports of the job at values of the unknown, each simulated once.
class Reports {
 public:
  Reports(const Job& job, const Unknown& unknown) : job_(job), unknown_(unknown) {}

  const Report& at(std::size_t setup, double value) {
    const auto [found, added] = known_.try_emplace({setup, value});
    if (!added) return found->second;
    Job changed = job_;
    unknown_.set(changed, value);
    return found->second = simulate(changed, changed.setups[setup]).report;
  }
  double utilisation(std::size_t setup, double value) {
    const Report& report = at(setup, value);
    if (unknown_.needs_memory && !report.fits_memory) return 0;
    return report.round ? report.round->utilisation : at(setup, kUnlimited).time_s / report.time_s;
  }
  bool is_faster(std::size_t setup, std::size_t other, double value) {
    return at(setup, value).tokens_per_s > at(other, value).tokens_per_s;
  }

 private:
  const Job& job_;
  const Unknown& unknown_;
  std::map<std::pair<std::size_t, double>, Report> known_;
};

// Where both setups can be simulated.
Range range_of(const Job& job, const Unknown& unknown, std::size_t setup, std::size_t other) {
  Range range = unknown.range;
  if (unknown.narrow) unknown.narrow(job, job.setups[setup].scheme, range);
  if (unknown.narrow) unknown.narrow(job, job.setups[other].scheme, range);
  return range;
}

Answer answer_of(const Job& job, const Unknown& unknown, std::size_t setup, std::string goal,
                 const Found& found) {
  const double met = unknown.figure(job, found.met);
  const double missed = unknown.figure(job, found.missed);
  return {job.setups[setup].scheme.name,
          std::move(goal),
          found,
          met,
          missed,
          unknown.text(met),
          unknown.text(missed),
          unknown.needs_memory || fits_memory(job, job.setups[setup])};
}

std::vector<Answer> solve_utilisation(const Job& job, const Unknown& unknown,
                                      const std::vector<double>& shares,
                                      const std::function<void()>& step) {
  Reports reports(job, unknown);
  std::vector<Answer> answers;
  for (std::size_t setup = 0; setup < job.setups.size(); ++setup) {
    for (const double share : shares) {
      const Found found = bracket(
          range_of(job, unknown, setup, setup),
          [&](double value) { return reports.utilisation(setup, value) >= share; }, step);
      answers.push_back(
          answer_of(job, unknown, setup, fmt::format("utilisation {:.4g}", share), found));
    }
  }
  return answers;
}

// Of all setups but the last, which is the one to beat.
std::vector<Answer> solve_beats(const Job& job, const Unknown& unknown, const std::string& name,
                                const std::function<void()>& step) {
  Reports reports(job, unknown);
  const std::size_t other = job.setups.size() - 1;
  std::vector<Answer> answers;
  for (std::size_t setup = 0; setup < other; ++setup) {
    const Found found = bracket(
        range_of(job, unknown, setup, other),
        [&](double value) { return reports.is_faster(setup, other, value); }, step);
    answers.push_back(answer_of(job, unknown, setup, "beats " + name, found));
  }
  return answers;
}

// Where the goal is met everywhere or nowhere, beyond the figures of the other answers: on which
// side says `greater_is_better`.
double place_of(const Answer& answer, bool greater_is_better) {
  if (answer.found.bracketed()) return answer.met;
  constexpr double kBeyond = std::numeric_limits<double>::infinity();
  return answer.found.ever == greater_is_better ? -kBeyond : kBeyond;
}

}  // namespace

std::pair<Answer, Answer> ends_of(const Answers& answers, std::size_t question) {
  const std::array<Answer, 3> all{answers.slower[question], answers.as_is[question],
                                  answers.faster[question]};
  const auto* figure =
      std::ranges::find_if(all, [](const Answer& one) { return one.found.bracketed(); });
  if (figure == all.end()) return {all.front(), all.back()};
  const bool greater_is_better = figure->met > figure->missed;
  const auto [least, greatest] = std::ranges::minmax_element(
      all, {}, [&](const Answer& one) { return place_of(one, greater_is_better); });
  return {*least, *greatest};
}

void check(const Job& job, const Unknown& unknown) {
  for (std::size_t setup = 0; setup < job.setups.size(); ++setup) {
    static_cast<void>(range_of(job, unknown, setup, job.setups.size() - 1));
  }
}

int most_tries(const Job& job, const Unknown& unknown, const SolveGoal& goal) {
  constexpr std::size_t kJobs = 3;  // in Answers
  const std::size_t searches =
      goal.shares.empty() ? job.setups.size() - 1 : job.setups.size() * goal.shares.size();
  return static_cast<int>(kJobs * searches) * most_tries(unknown.range);
}

Answers solve(const Job& job, const Unknown& unknown, const SolveGoal& goal,
              const std::function<void()>& step) {
  const auto answers = [&](const Job& one) {
    return goal.shares.empty() ? solve_beats(one, unknown, goal.beats, step)
                               : solve_utilisation(one, unknown, goal.shares, step);
  };
  return {answers(job), answers(off_by(job, -1)), answers(off_by(job, 1))};
}

}  // namespace sim::study
