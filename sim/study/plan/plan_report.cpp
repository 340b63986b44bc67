// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/plan_report.hpp"

#include <algorithm>

#include "sim/study/search/verdict.hpp"

namespace sim::study {

bool is_same_hardware(const PlanRow& one, const PlanRow& other) {
  return one.question == other.question && one.chosen.nodes == other.chosen.nodes &&
         one.chosen.nic_bandwidth == other.chosen.nic_bandwidth &&
         one.chosen.counts == other.chosen.counts;
}

std::size_t not_told_apart(const PlanReport& report, const PlanGoal& goal) {
  const auto ranked_by = [&](const PlanRow& row) {
    const bool by_time = goal.aim == Aim::fastest || !(row.price.total() > 0);
    return by_time ? row.time_s : row.price.total();
  };
  const PlanRow& best = report.rows.front();
  const double apart = least_win();
  const auto is_alike = [&](const PlanRow& row) {
    const double ratio = ranked_by(row) / ranked_by(best);
    const bool other_network = row.nic_bandwidth_Bps != best.nic_bandwidth_Bps;
    return ratio <= apart && ratio * apart >= 1 && row.keeps_limits == best.keeps_limits &&
           !(goal.aim == Aim::smallest_network && other_network);
  };
  return static_cast<std::size_t>(std::ranges::count_if(report.rows, is_alike));
}

}  // namespace sim::study
