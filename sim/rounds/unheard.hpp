// SPDX-License-Identifier: Apache-2.0
// Why sites are not heard, in words: a line for each reason, with all of its sites.
//
//   b, peer_0 to peer_7: drop out at 5.00 s; the others go on without them
#pragma once

#include <cstddef>
#include <span>

#include "sim/rounds/roll.hpp"

namespace sim {

// Of places, which ascend, that have not been heard; and of some that have, but break the exchange.
void tell_of_unheard(const WideArea& area, const Exchange& exchange,
                     std::span<const std::size_t> places, Roll& roll);
void tell_of_broken(const WideArea& area, std::span<const std::size_t> places, Roll& roll);

}  // namespace sim
