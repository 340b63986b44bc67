// SPDX-License-Identifier: Apache-2.0
// Why a round among the sites that are heard never ends.
#pragma once

#include <string>

#include "sim/rounds/simulate_round.hpp"

namespace sim {

// The link that holds it up, and what to do about it.
[[nodiscard]] std::string why_it_never_ends(const WideArea& area, const RoundResult& result);

}  // namespace sim
