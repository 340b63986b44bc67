// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/take.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "sim/study/plan/best_of_kinds.hpp"
#include "sim/study/search/verdict.hpp"

namespace sim::study {
namespace {

double network(const PlanRow& row) { return row.nic_bandwidth_Bps; }
double usd(const PlanRow& row) { return row.price.total(); }
double time(const PlanRow& row) { return row.time_s; }

// Of two that are alike, which is less to buy, to run and to trust.
auto simplicity(const PlanRow& row) {
  return std::tuple(row.report.gpus, row.compresses, kinds_of_parallelism(row.chosen.parallelism),
                    row.nic_bandwidth_Bps);
}

// In what the other one is less simple.
const char* less_simple_text(const PlanRow& other, const PlanRow& taken) {
  if (other.report.gpus != taken.report.gpus) return "more GPUs";
  if (other.compresses != taken.compresses) return "compressed";
  const int kinds = kinds_of_parallelism(taken.chosen.parallelism);
  if (kinds_of_parallelism(other.chosen.parallelism) != kinds) return "more kinds of parallelism";
  return "faster NICs";
}

// "3.1 % dearer", "2.0 times as long"; or that it cannot be told.
std::string against(double ratio, const char* alike, const char* more, const char* times) {
  if (ratio <= least_win()) return alike;
  return ratio < 1.5 ? fmt::format("{:.0f} % {}", 100 * (ratio - 1), more)
                     : fmt::format("{:.1f} times {}", ratio, times);
}

}  // namespace

std::size_t to_take(std::span<const PlanRow> rows, const PlanGoal& goal) {
  std::vector<std::size_t> alike(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) alike[i] = i;
  const auto keep_best = [&](double (*figure)(const PlanRow&), double apart) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t i : alike) least = std::min(least, figure(rows[i]));
    std::erase_if(alike, [&](std::size_t i) { return figure(rows[i]) > least * apart; });
  };
  if (goal.aim == Aim::smallest_network) keep_best(network, 1);
  const bool by_time = goal.aim == Aim::fastest;
  keep_best(by_time ? time : usd, least_win());
  keep_best(by_time ? usd : time, least_win());
  return *std::ranges::min_element(alike, {}, [&](std::size_t i) { return simplicity(rows[i]); });
}

std::string why_not(const PlanRow& other, const PlanRow& taken, const PlanGoal& goal) {
  if (goal.aim == Aim::smallest_network && network(other) != network(taken)) {
    return fmt::format("NICs {:.3g} times as fast", network(other) / network(taken));
  }
  const double slower = time(other) / time(taken);
  const double dearer = usd(taken) > 0 ? usd(other) / usd(taken) : 1;
  if (slower <= least_win() && dearer <= least_win() && simplicity(taken) < simplicity(other)) {
    return fmt::format("not told apart, and less simple ({})", less_simple_text(other, taken));
  }
  const std::string span = against(slower, "as fast", "slower", "as long");
  if (usd(taken) <= 0) return span;
  return against(dearer, "as cheap", "dearer", "as dear") + ", " + span;
}

std::string compression_text(const PlanRow& compressed, const PlanRow& plain) {
  const double speedup = time(plain) / time(compressed);
  const double percent = 100 * (speedup - 1);
  const std::string more =
      fmt::format("{} is {:.1f} % {} than {} on the same hardware", compressed.report.scheme,
                  std::abs(percent), percent < 0 ? "slower" : "faster", plain.report.scheme);
  if (speedup > least_win()) return more + ", which pays";
  if (speedup * least_win() < 1) return more + ", which does not pay";
  return more + ", less than predictions can tell";
}

}  // namespace sim::study
