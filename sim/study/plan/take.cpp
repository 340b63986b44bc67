// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/take.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "sim/base/likely.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/study/search/verdict.hpp"

namespace sim::study {
namespace {

double network(const Worth& worth) { return worth.nic_bandwidth_Bps; }
double usd(const Worth& worth) { return worth.usd; }
double time(const Worth& worth) { return worth.time_s; }

// In what the other one is less simple.
const char* less_simple_text(const Simplicity& other, const Simplicity& taken) {
  if (other.sites != taken.sites) return "more sites";
  if (other.gpus != taken.gpus) return "more GPUs";
  if (other.compresses != taken.compresses) return "compressed";
  return other.kinds != taken.kinds ? "more kinds of parallelism" : "faster NICs";
}

// "3.7 % cheaper"
std::string difference_text(double ratio, const char* more, const char* less) {
  return fmt::format("{:.1f} % {}", 100 * std::abs(ratio - 1), ratio < 1 ? less : more);
}

// What more and less of a figure is called: "3.1 % dearer", "2.0 times as long", "12 % faster".
struct Words {
  const char *alike, *more, *times, *less;
};
constexpr Words kDear{"as cheap", "dearer", "as dear", "cheaper"};
constexpr Words kLong{"as fast", "slower", "as long", "faster"};

std::string against(double ratio, const Words& words) {
  if (ratio <= least_win() && ratio * least_win() >= 1) {
    return fmt::format("{} ({:.1f} % {}, not told apart)", words.alike, 100 * std::abs(ratio - 1),
                       ratio < 1 ? words.less : words.more);
  }
  if (ratio < 1) return fmt::format("{:.0f} % {}", 100 * (1 - ratio), words.less);
  return ratio < 1.5 ? fmt::format("{:.0f} % {}", 100 * (ratio - 1), words.more)
                     : fmt::format("{:.1f} times {}", ratio, words.times);
}

}  // namespace

namespace {

// "62 % likely in time, 80 % if it were 11.2 days"
std::string miss_text(const char* kept, double chance, double confidence,
                      const std::string& limit) {
  return fmt::format("only {:.0f} % likely {}; {:.0f} % with {}", 100 * chance, kept,
                     100 * confidence, limit);
}

// In hours where days read as the deadline does.
std::string limit_text(double time_s, double deadline_s) {
  const std::string text = long_time_text(time_s);
  return text == long_time_text(deadline_s) ? fmt::format("{:.1f} h", time_s / kHour_s) : text;
}

// Of the limit that a near miss keeps with less than the goal's confidence.
std::string miss_text(const PlanRow& row, const PlanGoal& goal) {
  if (row.in_time && *row.in_time < goal.confidence) {
    const double time_s =
        limit_kept(goal.confidence, {row.low.time_s, row.time_s, row.high.time_s});
    return miss_text("in time", *row.in_time, goal.confidence, limit_text(time_s, goal.deadline_s));
  }
  const double kept = limit_kept(goal.confidence, {row.low.usd, row.price.total(), row.high.usd});
  return miss_text("within the budget", *row.in_budget, goal.confidence,
                   to_text(Dollars::from_base(kept)));
}

}  // namespace

std::size_t to_take(std::span<const Contender> plans, const PlanGoal& goal) {
  std::vector<std::size_t> alike(plans.size());
  std::iota(alike.begin(), alike.end(), std::size_t{0});
  const auto keep_best = [&](double (*figure)(const Worth&), double apart) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t i : alike) least = std::min(least, figure(plans[i].worth));
    std::erase_if(alike, [&](std::size_t i) { return figure(plans[i].worth) > least * apart; });
  };
  if (goal.aim == Aim::smallest_network) keep_best(network, 1);
  const bool by_time = goal.aim == Aim::fastest;
  keep_best(by_time ? time : usd, least_win());
  keep_best(by_time ? usd : time, least_win());
  return *std::ranges::min_element(alike, {}, [&](std::size_t i) { return plans[i].simplicity; });
}

std::string why_not(const PlanRow& row, const PlanRow& taken_row, const PlanGoal& goal) {
  if (!row.keeps_limits) return miss_text(row, goal);
  const Worth other = worth_of(row), taken = worth_of(taken_row);
  if (goal.aim == Aim::smallest_network && network(other) != network(taken)) {
    return fmt::format("NICs {:.3g} times as fast", network(other) / network(taken));
  }
  const double slower = time(other) / time(taken);
  const double dearer = usd(taken) > 0 ? usd(other) / usd(taken) : 1;
  if (slower <= least_win() && dearer <= least_win() && taken_row.simplicity < row.simplicity) {
    const bool by_time = goal.aim == Aim::fastest || usd(taken) <= 0;
    return fmt::format("{}, not told apart, and less simple ({})",
                       by_time ? difference_text(slower, "slower", "faster")
                               : difference_text(dearer, "dearer", "cheaper"),
                       less_simple_text(row.simplicity, taken_row.simplicity));
  }
  const std::string span = against(slower, kLong);
  if (usd(taken) <= 0) return span;
  return against(dearer, kDear) + ", " + span;
}

std::string compression_text(const PlanRow& compressed, const PlanRow& plain) {
  const double speedup = plain.time_s / compressed.time_s;
  const double percent = 100 * (speedup - 1);
  const std::string more =
      fmt::format("{} is {:.1f} % {} than {} on the same hardware", compressed.report.scheme,
                  std::abs(percent), percent < 0 ? "slower" : "faster", plain.report.scheme);
  if (speedup > least_win()) return more + ", which pays";
  if (speedup * least_win() < 1) return more + ", which does not pay";
  return more + ", less than predictions can tell";
}

}  // namespace sim::study
