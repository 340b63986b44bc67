// SPDX-License-Identifier: Apache-2.0
// Where the time of a simulated round goes.
#pragma once

#include <cstddef>

#include "sim/report/report.hpp"
#include "sim/rounds/simulate_round.hpp"

namespace sim {

// Of the sites that are heard, the one that ends the last round last; the first of several.
[[nodiscard]] std::size_t last_place(const RoundResult& result);

// Of a round at the place; they sum to its time. Inner steps count as they take alone: what traffic
// beside them adds is communication.
[[nodiscard]] TimeParts parts_of_round(const RoundResult& result, std::size_t place);

// From a site's last step of a round until its last result is there: mean over the sites that are
// heard, and over the rounds after the first in which all sites exchange.
[[nodiscard]] double exchange_after_round_s(const RoundResult& result);

}  // namespace sim
