// SPDX-License-Identifier: Apache-2.0
// What a simulated round between sites brings and costs: tokens, utilisation, energy and price.
#pragma once

#include <vector>

#include "sim/report/report.hpp"
#include "sim/rounds/simulate_round.hpp"

namespace sim {

// Also what each site adds to the round. The report has its sites, its time and the price of what they
// send. GPUs of sites that drop out or come too late are paid for all the same.
void add_rates(const RoundContext& context, const RoundResult& result, Report& report);

// By table, tokens that a site adds to the round, mean: SiteReport::tokens.
[[nodiscard]] std::vector<double> tokens_by_table(const RoundContext& context,
                                                  const RoundResult& result);

}  // namespace sim
