// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/plan/best_first.hpp"
#include "sim/study/plan/best_of_kinds.hpp"
#include "sim/study/plan/cluster_choices.hpp"
#include "sim/study/plan/plan_report.hpp"
#include "sim/study/plan/site_choices.hpp"
#include "sim/study/plan/take.hpp"
#include "sim/study/setup_options.hpp"

namespace sim::study {
namespace {

constexpr std::size_t kMostPlans = 10;

void check_money(const PlanQuestion& question, const Choices& choices) {
  const auto second = Seconds::from_base(1);
  for (std::size_t i = 0; i < choices.count(); ++i) {
    if (choices.price(i, second).total() > 0) return;
  }
  const char* field = question.goal.aim == Aim::cheapest            ? "goal"
                      : question.goal.budget_usd < PlanGoal::kNever ? "budget"
                                                                    : nullptr;
  if (field == nullptr) return;
  throw InputError(
      fmt::format("`{}`: nothing in {} has a price; {}", field, question.job.topology.name,
                  question.job.inner ? "set gpu.price in its clusters' files" : "set gpu.price"));
}

// Tokens per second: of sites that come and go what they keep.
struct LikelySpeed {
  double low = 0, as_is = 0, high = 0;
};

LikelySpeed speed_of(const Report& report) {
  if (const auto& kept = report.membership) {
    return {kept->tokens_per_s_low, kept->tokens_per_s, kept->tokens_per_s_high};
  }
  return {report.range->tokens_per_s_low, report.tokens_per_s, report.range->tokens_per_s_high};
}

class Planner {
 public:
  Planner(const PlanQuestion& question, Choices& choices,
          const std::function<void(const Choices&)>& progress)
      : question_(question), goal_(question.goal), choices_(choices), progress_(progress) {}

  PlanReport run() {
    PlanReport report;
    std::vector<Ranked> best = listed(report);
    if (best.empty()) {
      report.met = false;
      best = search(1, [&](std::size_t one, double s) { return excess(one, s); });
    }
    if (best.empty()) {
      throw InputError(fmt::format("`topology`: no round of {} ends: {}",
                                   question_.job.topology.name, choices_.why_endless()));
    }
    report.rows =
        in_parallel(question_.jobs, best.size(), [&](std::size_t i) { return row(best[i]); });
    if (question_.listing != Listing::setups) put_first(to_take(report.rows, goal_), best, report);
    const PlanRow& first = report.rows.front();
    report.improvements = choices_.improvements(best.front().candidate, first.price,
                                                Seconds::from_base(first.time_s));
    report.topology = first.report.topology;
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
      return search(kMostPlans, [&](std::size_t one, double s) { return score(one, s); });
    }
    const bool all = question_.listing == Listing::kinds;
    const KindSearch kinds{
        .score = [&](std::size_t one, double s) { return score_of_kind(one, s); },
        .beats =
            [&](const Ranked& one, std::size_t other, double s) {
              return !all && beats(goal_, worth(one.candidate, one.seconds), worth(other, s));
            },
        .most = kMostPlans};
    BestOfKinds found = best_of_kinds(choices_, kinds, extent(question_.gap), progress_);
    report.beaten = found.beaten;
    const auto by_goal = [&](const Ranked& one) { return *score(one.candidate, one.seconds); };
    std::ranges::stable_sort(found.plans, {}, by_goal);
    return found.plans;
  }

  static void put_first(std::size_t taken, std::vector<Ranked>& best, PlanReport& report) {
    const auto move = [&](auto& all) {
      const auto one = all.begin() + static_cast<std::ptrdiff_t>(taken);
      std::rotate(all.begin(), one, one + 1);
    };
    move(best);
    move(report.rows);
  }

  // The whole training, where a step or a round takes so many seconds.
  struct Training {
    double seconds_per_token = 0;
    Seconds time;
    Price price;
  };
  [[nodiscard]] Training training(std::size_t one, double seconds) const {
    const double each = seconds / choices_.tokens(one);
    const Seconds time = goal_.time(each);
    return {each, time, choices_.price(one, time)};
  }

  [[nodiscard]] Worth worth(std::size_t one, double seconds) const {
    const auto [each, time, price] = training(one, seconds);
    return {price.total(), time.base(), choices_.nic_bandwidth_Bps(one)};
  }

  [[nodiscard]] bool is_in_question(std::size_t one, double seconds) const {
    if (std::isinf(seconds) || !meets_limits(goal_, worth(one, seconds))) return false;
    return goal_.share == 0 ||
           goal_.share * training(one, seconds).seconds_per_token <= choices_.full_speed(one);
  }
  [[nodiscard]] std::optional<Score> score(std::size_t one, double seconds) const {
    if (!is_in_question(one, seconds)) return std::nullopt;
    return score_of(goal_, worth(one, seconds));
  }

  // What is cheap and fast comes first, as it beats most others.
  [[nodiscard]] std::optional<Score> score_of_kind(std::size_t one, double seconds) const {
    if (goal_.aim == Aim::smallest_network) return score(one, seconds);
    if (!is_in_question(one, seconds)) return std::nullopt;
    const Worth at = worth(one, seconds);
    return Score{at.usd > 0 ? at.usd * at.time_s : at.time_s, 0, 0};
  }

  // By how much the limit that is missed most is missed.
  [[nodiscard]] std::optional<Score> excess(std::size_t one, double seconds) const {
    if (std::isinf(seconds)) return std::nullopt;
    const auto [each, time, price] = training(one, seconds);
    double most = std::max(time.base() / goal_.deadline_s, price.total() / goal_.budget_usd);
    if (goal_.share > 0) most = std::max(most, goal_.share * each / choices_.full_speed(one));
    return Score{most, 0, 0};
  }

  // What the row would be if it were so many times as fast: what sites send stays the same.
  [[nodiscard]] TimeAndPrice at_speed(std::size_t one, const PlanRow& row, double factor) const {
    const double time_s = row.time_s / factor;
    const Price price = choices_.price(one, Seconds::from_base(time_s));
    return {time_s, price.of_time() + row.price.egress};
  }

  // A month's price of the training is the plan's, with electricity.
  static void set_kept_price(PlanRow& row) {
    auto& months = row.report.membership;
    if (!months || !months->target) return;
    months->target->usd = row.price.total();
    months->target->usd_low = row.low.usd;
    months->target->usd_high = row.high.usd;
  }

  PlanRow row(const Ranked& one) {
    const auto [each, time, price] = training(one.candidate, one.seconds);
    PlanRow row = choices_.row(one.candidate);
    row.compresses = choices_.kinds(one.candidate).front().compresses;
    row.time_s = time.base();
    row.price = price;
    const LikelySpeed speed = speed_of(row.report);
    row.low = at_speed(one.candidate, row, speed.high / speed.as_is);
    row.high = at_speed(one.candidate, row, speed.low / speed.as_is);
    set_kept_price(row);
    row.speed_share = choices_.full_speed(one.candidate) / each;
    row.over_critical_batch =
        question_.critical_batch && row.step_tokens > *question_.critical_batch;
    return row;
  }

  const PlanQuestion& question_;
  const PlanGoal& goal_;
  Choices& choices_;
  const std::function<void(const Choices&)>& progress_;
};

PlanReport plan_as_it_is(const PlanQuestion& question,
                         const std::function<void(const Searched&)>& progress) {
  const auto searched = [&](const Choices& choices) { progress(choices.searched()); };
  const std::unique_ptr<Choices> choices =
      question.job.inner ? site_choices(question) : cluster_choices(question);
  check_money(question, *choices);
  choices->find_full_speeds(searched);
  return Planner(question, *choices, searched).run();
}

}  // namespace

PlanReport plan(const PlanQuestion& question,
                const std::function<void(const Searched&)>& progress) {
  try {
    return plan_as_it_is(question, progress);
  } catch (const NothingFits&) {
    if (!may_use_hosts(question.job)) throw;
  }
  PlanQuestion on_hosts = question;
  on_hosts.job.parallelism.optimizer_state = OptimizerState::host;
  PlanReport report = plan_as_it_is(on_hosts, progress);
  report.state_on_hosts = true;
  return report;
}

}  // namespace sim::study
