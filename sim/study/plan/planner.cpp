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
#include "sim/study/plan/compression.hpp"
#include "sim/study/plan/next_dollar.hpp"
#include "sim/study/plan/take.hpp"
#include "sim/study/plan/trainings.hpp"

namespace sim::study {
namespace {

constexpr std::size_t kMostPlans = 10;  // on each topology
// Plans that are predicted to miss a limit by less are listed; those that keep it by more keep it with any
// confidence that is asked for in earnest.
constexpr double kNearMiss = 1.25;
// What compression is compared with is so close to the fastest.
constexpr double kCloseRival = 0.05;

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
    const std::size_t taken = best.front().candidate;
    report.improvements = improvements(choices_.job(taken), choices_.setup(taken),
                                       {first.report.time_s, question_.buy ? Price{} : first.price,
                                        Seconds::from_base(first.time_s)},
                                       question_.jobs);
    report.compression = compression(best, report.rows);
    report.model = first.report.model;
    report.not_counted = choices_.not_counted();
    const Extras& extras = goal_.extras;
    if (extras.electricity.base() == 0) {
      report.not_counted.emplace_back("power (no `electricity`)");
    }
    if (!question_.buy && extras.storage.base() == 0) {
      report.not_counted.emplace_back("storage (no `prices`)");
    }
    if (!question_.buy && extras.idle == 0) {
      report.not_counted.emplace_back("idle hours (no `prices`)");
    }
    report.searched = choices_.searched();
    return report;
  }

 private:
  [[nodiscard]] Extent extent(double gap) const {
    return {gap, question_.exhaustive, question_.jobs};
  }

  // What is without or with compression on the hardware to take: in the same layout if it fits there, or else the
  // fastest, but for kCloseRival.
  std::vector<std::size_t> rivals(std::size_t taken, bool compresses) {
    const Kind kind{choices_.kinds(taken).front().hardware, compresses};
    const auto is_of_kind = [&](std::size_t one) {
      return std::ranges::count(choices_.kinds(one), kind) > 0;
    };
    const auto in_layout_of = [&](std::size_t one) {
      std::vector<std::size_t> same = choices_.same_layout(one);
      std::erase_if(same, [&](std::size_t other) { return !is_of_kind(other); });
      return same;
    };
    std::vector<std::size_t> found = in_layout_of(taken);
    if (!found.empty()) return found;
    const auto speed = [&](std::size_t one, double s) -> std::optional<Score> {
      if (!is_of_kind(one)) return std::nullopt;
      return Score{s / choices_.tokens(one), 0, 0};
    };
    const Extent extent{.gap = kCloseRival, .jobs = question_.jobs, .wave = 2};
    const auto best = BestFirst(choices_, speed, extent, progress_).next();
    if (!best) return {};
    found = in_layout_of(best->candidate);
    found.insert(found.begin(), best->candidate);
    return found;
  }

  // With the NICs of a cluster.
  std::vector<PlanCompression> compression(const std::vector<Ranked>& best,
                                           const std::vector<PlanRow>& rows) {
    const PlanRow& first = rows.front();
    const std::size_t taken = best.front().candidate;
    if (first.report.round || first.chosen.nodes == 1) return {};
    const bool compresses = first.simplicity.compresses;
    std::vector<std::size_t> others = rivals(taken, !compresses);
    if (others.empty()) return {};
    const std::size_t plain = compresses ? others.front() : taken;
    if (compresses) others = {taken};
    std::vector<Setup> compressed;
    for (const std::size_t one : others) compressed.push_back(choices_.setup(one));
    const Job job = choices_.job(taken);
    StepTimes times(job);
    times.know(choices_.setup(taken), first.report.time_s);
    std::vector<PlanCompression> all;
    for (const CompressionAt& one : compression_at(job, choices_.setup(plain), compressed, times)) {
      all.push_back({.scheme = compressed[one.compressed].scheme.name,
                     .plain_scheme = choices_.setup(plain).scheme.name,
                     .nics = one.nics,
                     .speedup = one.speedup,
                     .pays = one.pays,
                     .compressed = choices_.chosen(others[one.compressed]),
                     .plain = choices_.chosen(plain)});
    }
    return all;
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
