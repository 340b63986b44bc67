// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/plan/best_of_kinds.hpp"
#include "sim/study/plan/take.hpp"
#include "sim/study/plan/trainings.hpp"

namespace sim::study {
namespace {

constexpr std::size_t kMostPlans = 10;  // on each topology
// Plans that are predicted to miss a limit by less are listed; those that keep it by more keep it with any
// confidence that is asked for in earnest.
constexpr double kNearMiss = 1.25;

class Planner {
 public:
  Planner(const PlanQuestion& question, Choices& choices,
          const std::function<void(const Choices&)>& progress)
      : question_(question),
        goal_(question.goal),
        choices_(choices),
        progress_(progress),
        trainings_(question, choices) {}

  PlanReport run() {
    PlanReport report;
    std::vector<Ranked> best = listed(report);
    if (best.empty()) {
      report.met = false;
      best = search(1, [&](std::size_t one, double s) { return trainings_.excess(one, s); });
    }
    if (best.empty()) {
      throw InputError(fmt::format("`topology`: no round of {} ends: {}",
                                   question_.job.topology.name, choices_.why_endless()));
    }
    report.rows = in_parallel(question_.jobs, best.size(),
                              [&](std::size_t i) { return trainings_.row(best[i]); });
    if (question_.listing != Listing::setups) put_in_order(best, report);
    const PlanRow& first = report.rows.front();
    report.improvements = choices_.improvements(best.front().candidate, first.price,
                                                Seconds::from_base(first.time_s));
    report.model = first.report.model;
    report.not_counted = choices_.not_counted();
    if (goal_.electricity.base() == 0) {
      report.not_counted.emplace_back("power (no `electricity`)");
    }
    report.searched = choices_.searched();
    return report;
  }

 private:
  [[nodiscard]] Extent extent(double gap) const {
    return {gap, question_.exhaustive, question_.jobs};
  }

  // The best of all, exactly.
  std::vector<Ranked> search(std::size_t count, const Scoring& scoring) {
    BestFirst best_first(choices_, scoring, extent(0), progress_);
    std::vector<Ranked> best;
    while (best.size() < count) {
      const auto one = best_first.next();
      if (!one) break;
      best.push_back(*one);
    }
    return best;
  }

  // What the question asks for.
  std::vector<Ranked> listed(PlanReport& report) {
    if (question_.listing == Listing::setups) {
      return search(kMostPlans,
                    [&](std::size_t one, double s) { return trainings_.score(one, s, 1); });
    }
    const auto is_beaten_there = [&](const Ranked& one, std::size_t other, double s) {
      return question_.listing == Listing::front &&
             choices_.topology(one.candidate) == choices_.topology(other) &&
             beats_surely(trainings_.worth(one.candidate, one.seconds), trainings_.worth(other, s));
    };
    const KindSearch kinds{
        .score = [&](std::size_t one,
                     double s) { return trainings_.score_of_kind(one, s, kNearMiss); },
        .beats = is_beaten_there,
        .most = kMostPlans * choices_.topologies()};
    BestOfKinds found = best_of_kinds(choices_, kinds, extent(question_.gap), progress_);
    const auto by_goal = [&](const Ranked& one) {
      return *trainings_.score(one.candidate, one.seconds, kNearMiss);
    };
    std::ranges::stable_sort(found.plans, {}, by_goal);
    report.beaten = found.beaten;
    if (question_.listing == Listing::front) report.beaten += drop_beaten_elsewhere(found.plans);
    return found.plans;
  }

  // Whether one keeps the limits whatever its range is, and beats the other.
  [[nodiscard]] bool beats_surely(const Worth& one, const Worth& other) const {
    return meets_limits(goal_, one, 1 / kNearMiss) && beats(goal_, one, other);
  }

  // What plans on other topologies beat, but for the one to take of each topology. How many there were.
  std::size_t drop_beaten_elsewhere(std::vector<Ranked>& plans) const {
    std::map<std::size_t, std::vector<Ranked>> by_topology;
    for (const Ranked& one : plans) by_topology[choices_.topology(one.candidate)].push_back(one);
    std::set<std::size_t> taken;
    for (const auto& [topology, there] : by_topology) {
      taken.insert(there[taken_of(there)].candidate);
    }
    std::vector<Ranked> kept;
    for (const Ranked& one : plans) {
      const bool is_beaten = std::ranges::any_of(plans, [&](const Ranked& other) {
        return beats_surely(trainings_.worth(other.candidate, other.seconds),
                            trainings_.worth(one.candidate, one.seconds));
      });
      if (!is_beaten || taken.contains(one.candidate)) kept.push_back(one);
    }
    const std::size_t dropped = plans.size() - kept.size();
    plans = std::move(kept);
    return dropped;
  }

  [[nodiscard]] std::size_t taken_of(const std::vector<Ranked>& plans) const {
    std::vector<Contender> contenders;
    for (const Ranked& one : plans) contenders.push_back(trainings_.contender(one));
    return to_take(contenders, goal_);
  }

  // The plan to take, the others that keep the limits, then near misses. The front has none that another one of
  // its topology beats that keeps them.
  void put_in_order(std::vector<Ranked>& best, PlanReport& report) const {
    std::vector<std::size_t> kept, missed;
    for (std::size_t i = 0; i < best.size(); ++i) {
      (report.rows[i].keeps_limits ? kept : missed).push_back(i);
    }
    report.met = report.met && !kept.empty();
    if (question_.listing == Listing::front) {
      const std::vector<std::size_t> keepers = kept;
      const auto is_beaten = [&](std::size_t i) {
        return std::ranges::any_of(keepers, [&](std::size_t other) {
          return report.rows[other].question == report.rows[i].question &&
                 beats(goal_, worth_of(report.rows[other]), worth_of(report.rows[i]));
        });
      };
      report.beaten += std::erase_if(missed, is_beaten) + std::erase_if(kept, is_beaten);
    }
    std::ranges::stable_sort(missed, std::greater(),
                             [&](std::size_t i) { return least_chance(report.rows[i]); });
    if (!kept.empty()) {
      std::vector<Ranked> plans;
      for (const std::size_t i : kept) plans.push_back(best[i]);
      const auto taken = kept.begin() + static_cast<std::ptrdiff_t>(taken_of(plans));
      std::rotate(kept.begin(), taken, taken + 1);
    }
    kept.insert(kept.end(), missed.begin(), missed.end());
    std::vector<Ranked> ordered;
    std::vector<PlanRow> rows;
    for (const std::size_t i : kept) {
      ordered.push_back(best[i]);
      rows.push_back(std::move(report.rows[i]));
    }
    best = std::move(ordered);
    report.rows = std::move(rows);
  }

  const PlanQuestion& question_;
  const PlanGoal& goal_;
  Choices& choices_;
  const std::function<void(const Choices&)>& progress_;
  const Trainings trainings_;
};

}  // namespace

PlanReport search(const PlanQuestion& question, Choices& choices,
                  const std::function<void(const Choices&)>& progress) {
  return Planner(question, choices, progress).run();
}

}  // namespace sim::study
