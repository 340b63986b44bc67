// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/trainings.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/likely.hpp"
#include "sim/study/plan/best_of_kinds.hpp"

namespace sim::study {
namespace {

// A batch is given in tokens, and a step has whole sequences.
constexpr double kBatchRounding = 0.001;

// Prices with failures are of GPUs and network, spare nodes among them; what else a plan pays for grows alike.
void add_extras_to_failures(PlanRow& row) {
  auto& goodput = row.report.goodput;
  const double rented = row.price.gpus + row.price.network;
  if (!goodput || !goodput->target || rented <= 0) return;
  const double factor = row.price.total() / rented;
  for (double* usd :
       {&goodput->target->usd, &goodput->target->usd_low, &goodput->target->usd_high}) {
    *usd *= factor;
  }
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

// A month's price of the training is the plan's, with electricity.
void set_kept_price(PlanRow& row) {
  auto& months = row.report.membership;
  if (!months || !months->target) return;
  months->target->usd = row.price.total();
  months->target->usd_low = row.low.usd;
  months->target->usd_high = row.high.usd;
}

}  // namespace

Trainings::Training Trainings::training(std::size_t one, double seconds) const {
  const double each = seconds / choices_.tokens(one);
  const Seconds time = goal_.time(each);
  return {each, time, choices_.price(one, time)};
}

Worth Trainings::worth(std::size_t one, double seconds) const {
  const auto [each, time, price] = training(one, seconds);
  return {price.total(), time.base(), choices_.nic_bandwidth_Bps(one)};
}

Simplicity Trainings::simplicity(std::size_t one) const {
  return {.sites = choices_.sites(one),
          .gpus = choices_.gpus(one),
          .compresses = choices_.kinds(one).front().compresses,
          .kinds = kinds_of_parallelism(choices_.parallelism(one)),
          .nic_bandwidth_Bps = choices_.nic_bandwidth_Bps(one)};
}

Contender Trainings::contender(const Ranked& one) const {
  return {worth(one.candidate, one.seconds), simplicity(one.candidate)};
}

std::optional<Worth> Trainings::worth_in_question(std::size_t one, double seconds,
                                                  double factor) const {
  if (std::isinf(seconds)) return std::nullopt;
  const auto [each, time, price] = training(one, seconds);
  const Worth worth{price.total(), time.base(), choices_.nic_bandwidth_Bps(one)};
  if (!meets_limits(goal_, worth, factor)) return std::nullopt;
  if (goal_.share > 0 && goal_.share * each > choices_.full_speed(one)) return std::nullopt;
  return worth;
}

std::optional<Score> Trainings::score(std::size_t one, double seconds, double factor) const {
  const auto worth = worth_in_question(one, seconds, factor);
  if (!worth) return std::nullopt;
  return score_of(goal_, *worth);
}

std::optional<Score> Trainings::score_of_kind(std::size_t one, double seconds,
                                              double factor) const {
  const auto worth = worth_in_question(one, seconds, factor);
  if (!worth) return std::nullopt;
  if (goal_.aim == Aim::smallest_network) return score_of(goal_, *worth);
  return Score{worth->usd > 0 ? worth->usd * worth->time_s : worth->time_s, 0, 0};
}

std::optional<Score> Trainings::excess(std::size_t one, double seconds) const {
  if (std::isinf(seconds)) return std::nullopt;
  const auto [each, time, price] = training(one, seconds);
  double most = std::max(time.base() / goal_.deadline_s, price.total() / goal_.budget_usd);
  if (goal_.share > 0) most = std::max(most, goal_.share * each / choices_.full_speed(one));
  return Score{most, 0, 0};
}

// What the row would be if it were so many times as fast: what sites send stays the same.
TimeAndPrice Trainings::at_speed(std::size_t one, const PlanRow& row, double factor) const {
  const double time_s = row.time_s / factor;
  const Price price = choices_.price(one, Seconds::from_base(time_s));
  return {time_s, price.of_time() + row.price.egress};
}

// With what failures add, if they are asked for: the limits are so much nearer.
void Trainings::set_chances(PlanRow& row) const {
  double longer = 1, dearer = 1;
  if (const auto& goodput = row.report.goodput; goodput && goodput->target) {
    longer = goodput->target->days * kDay_s / row.time_s;
    if (row.price.total() > 0) dearer = goodput->target->usd / row.price.total();
  }
  if (goal_.deadline_s < PlanGoal::kNever) {
    row.in_time =
        chance_within(goal_.deadline_s / longer, {row.low.time_s, row.time_s, row.high.time_s});
  }
  if (goal_.budget_usd < PlanGoal::kNever) {
    row.in_budget =
        chance_within(goal_.budget_usd / dearer, {row.low.usd, row.price.total(), row.high.usd});
  }
  row.keeps_limits = least_chance(row) >= goal_.confidence;
}

PlanRow Trainings::row(const Ranked& one) const {
  const auto [each, time, price] = training(one.candidate, one.seconds);
  PlanRow row = choices_.row(one.candidate);
  row.chosen = choices_.chosen(one.candidate);
  row.simplicity = simplicity(one.candidate);
  row.time_s = time.base();
  row.price = price;
  const LikelySpeed speed = speed_of(row.report);
  row.low = at_speed(one.candidate, row, speed.high / speed.as_is);
  row.high = at_speed(one.candidate, row, speed.low / speed.as_is);
  set_kept_price(row);
  add_extras_to_failures(row);
  set_chances(row);
  row.speed_share = choices_.full_speed(one.candidate) / each;
  const double excess = row.step_tokens / static_cast<double>(question_.batch_tokens) - 1;
  row.batch_excess = excess > kBatchRounding ? excess : 0;
  row.over_critical_batch = question_.critical_batch && row.step_tokens > *question_.critical_batch;
  return row;
}

double least_chance(const PlanRow& row) {
  return std::min(row.in_time.value_or(1), row.in_budget.value_or(1));
}

}  // namespace sim::study
