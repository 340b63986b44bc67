// SPDX-License-Identifier: Apache-2.0
// Why sites are not heard, in words: a line for each reason, with all of its sites.
//
//   b, peer_0 to peer_7: drop out at 5.00 s; the others go on without them
#pragma once

#include <string>
#include <vector>

#include "sim/rounds/roll.hpp"

namespace sim {

// A line for each reason; and the same with what the others do, or could.
struct Unheard {
  std::vector<std::string> reasons = {}, events = {};
};
[[nodiscard]] Unheard unheard_sites(const WideArea& area, const Exchange& exchange,
                                    const Roll& roll);

}  // namespace sim
