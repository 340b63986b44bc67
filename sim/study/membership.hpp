// SPDX-License-Identifier: Apache-2.0
// What a month brings to sites that come and go.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sim/reliability/month.hpp"
#include "sim/report/report.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

// Of a round of so many sites of each table.
struct RoundPace {
  double step_s = 0;  // for each of its inner steps; infinite if it never ends
  double cutoff_s = std::numeric_limits<double>::infinity();     // RoundResult::cutoff_s
  double handed_in_s = std::numeric_limits<double>::infinity();  // RoundResult::handed_in_s
  std::vector<double> tokens;  // by table, that a site adds for each inner step
};
// Most sites of the table that months are played of: all that there can be, if they stay.
[[nodiscard]] int most_comers(const Site& site);

using PaceOf = std::function<RoundPace(const std::vector<int>& members)>;
// By simulation.
[[nodiscard]] RoundPace round_pace(const Job& job, Setup setup, std::span<const int> members);

// Of rounds that were simulated with all sites; nothing if all of them stay, or if that round was
// aborted. Asks `pace` for rounds of fewer sites where a month has them, once for each number. Ranges
// are those of months alone.
[[nodiscard]] std::optional<MembershipFigures> months_of(const Job& job, const Setup& setup,
                                                         const Report& report, const PaceOf& pace);
// The first of those months, as it went; nothing where there is none. By simulation.
[[nodiscard]] Month month_of_comers(const Job& job, const Setup& setup, const Report& report);
// With the report's likely range too, and with the time and price of the tokens to train.
[[nodiscard]] MembershipFigures with_ranges(MembershipFigures months, const Job& job,
                                            const Report& report);

// Both, of rounds that are simulated.
[[nodiscard]] std::optional<MembershipFigures> membership_of(const Job& job, const Setup& setup,
                                                             const Report& report);

}  // namespace sim::study
