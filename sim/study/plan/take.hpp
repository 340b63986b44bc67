// SPDX-License-Identifier: Apache-2.0
// Which of several plans to take, and what the others lose by.
#pragma once

#include <span>
#include <string>

#include "sim/study/plan/plan_report.hpp"

namespace sim::study {

// First what the goal ranks by, price or time, and then the other of the two: plans that predictions cannot
// tell from the best (least_win()) are alike. Of those that are alike in both, the simplest: the fewest sites and GPUs,
// uncompressed before compressed, the fewest kinds of parallelism, then the slowest NICs; of equally simple ones
// the first. The smallest network comes before all that, exactly.
[[nodiscard]] std::size_t to_take(std::span<const Contender> plans, const PlanGoal& goal);

// Why `other` is not taken, though `taken` is: "as cheap, 2.0 times as long".
[[nodiscard]] std::string why_not(const PlanRow& other, const PlanRow& taken, const PlanGoal& goal);

// Whether compression pays, given the best plan with and without it on the same hardware: "sdp4bit is 12.3 %
// faster than sharded on the same hardware, which pays".
[[nodiscard]] std::string compression_text(const PlanRow& compressed, const PlanRow& plain);

}  // namespace sim::study
