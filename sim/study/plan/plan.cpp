// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/plan/best_first.hpp"
#include "sim/study/plan/best_of_kinds.hpp"
#include "sim/study/plan/cluster_choices.hpp"
#include "sim/study/plan/plan_report.hpp"
#include "sim/study/plan/site_choices.hpp"
#include "sim/study/plan/take.hpp"
#include "sim/study/plan/together.hpp"
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
    if (question_.listing != Listing::setups) put_first(taken_of(best), best, report);
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
      return search(kMostPlans, [&](std::size_t one, double s) { return score(one, s); });
    }
    const bool all = question_.listing == Listing::kinds;
    const auto is_beaten_there = [&](const Ranked& one, std::size_t other, double s) {
      return !all && choices_.topology(one.candidate) == choices_.topology(other) &&
             beats(goal_, worth(one.candidate, one.seconds), worth(other, s));
    };
    const KindSearch kinds{
        .score = [&](std::size_t one, double s) { return score_of_kind(one, s); },
        .beats = is_beaten_there,
        .most = kMostPlans};
    BestOfKinds found = best_of_kinds(choices_, kinds, extent(question_.gap), progress_);
    const auto by_goal = [&](const Ranked& one) { return *score(one.candidate, one.seconds); };
    std::ranges::stable_sort(found.plans, {}, by_goal);
    report.beaten = found.beaten;
    if (!all) report.beaten += drop_beaten_elsewhere(found.plans);
    return found.plans;
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
        return beats(goal_, contender(other).worth, contender(one).worth);
      });
      if (!is_beaten || taken.contains(one.candidate)) kept.push_back(one);
    }
    const std::size_t dropped = plans.size() - kept.size();
    plans = std::move(kept);
    return dropped;
  }

  [[nodiscard]] Contender contender(const Ranked& one) const {
    const Kind kind = choices_.kinds(one.candidate).front();
    return {worth(one.candidate, one.seconds),
            {.gpus = choices_.gpus(one.candidate),
             .compresses = kind.compresses,
             .kinds = kinds_of_parallelism(choices_.parallelism(one.candidate)),
             .nic_bandwidth_Bps = choices_.nic_bandwidth_Bps(one.candidate)}};
  }
  [[nodiscard]] std::size_t taken_of(const std::vector<Ranked>& plans) const {
    std::vector<Contender> contenders;
    for (const Ranked& one : plans) contenders.push_back(contender(one));
    return to_take(contenders, goal_);
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
    row.contender = contender(one);
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

std::unique_ptr<Choices> choices_of(const PlanQuestion& question) {
  std::unique_ptr<Choices> choices =
      question.job.inner ? site_choices(question) : cluster_choices(question);
  check_money(question, *choices);
  return choices;
}

// A question that can be answered.
struct Asked {
  PlanQuestion question;
  bool state_on_hosts = false;
};

// The choices of a question as it is, or with the optimizer's state on hosts if nothing fits otherwise.
std::unique_ptr<Choices> fitting_choices(Asked& asked) {
  try {
    return choices_of(asked.question);
  } catch (const NothingFits&) {
    if (!may_use_hosts(asked.question.job)) throw;
  }
  asked.question.job.parallelism.optimizer_state = OptimizerState::host;
  asked.state_on_hosts = true;
  return choices_of(asked.question);
}

// What nothing fits on, where something does on others.
struct TooSmall {
  NothingFits error;
  std::string topology;
};

}  // namespace

PlanReport plan(std::span<const PlanQuestion> questions,
                const std::function<void(const Searched&)>& progress) {
  std::vector<std::unique_ptr<Asked>> asked;  // that stay where they are
  std::vector<std::unique_ptr<Choices>> parts;
  std::vector<std::size_t> numbers;  // of the parts
  std::vector<TooSmall> too_small;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    asked.push_back(std::make_unique<Asked>(questions[i]));
    try {
      parts.push_back(fitting_choices(*asked.back()));
      numbers.push_back(i);
    } catch (const NothingFits& error) {
      too_small.push_back({error, questions[i].job.topology.name});
      asked.back()->state_on_hosts = false;
    }
  }
  if (parts.empty()) throw too_small.front().error;
  const std::unique_ptr<Choices> choices = together(std::move(parts));
  const auto searched = [&](const Choices& all) { progress(all.searched()); };
  choices->find_full_speeds(searched);
  PlanReport report = Planner(questions.front(), *choices, searched).run();
  for (PlanRow& row : report.rows) row.question = numbers[row.question];
  std::vector<std::string> names;
  for (const PlanQuestion& one : questions) names.push_back(one.job.topology.name);
  report.topology = joined(names, ", ");
  for (const auto& one : asked) {
    if (one->state_on_hosts) report.state_on_hosts.push_back(one->question.job.topology.name);
  }
  for (const TooSmall& one : too_small) report.does_not_fit.push_back(one.topology);
  return report;
}

PlanReport plan(const PlanQuestion& question,
                const std::function<void(const Searched&)>& progress) {
  return plan(std::span(&question, 1), progress);
}

}  // namespace sim::study
