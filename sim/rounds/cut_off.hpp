// SPDX-License-Identifier: Apache-2.0
// Sites that the others do not reach, because links between them are dead (sim/sites/detours.hpp) and
// nobody is there to pass their traffic on: for the others they are lost, like a site that drops out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/schemes/exchanges.hpp"
#include "sim/sites/plan_round.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

// Where sites exchange values directly, those that are not gone form parts whose sites reach each other.
// The part with the most sites that are heard goes on, the first of equally large ones. All others are
// gone, too, and returned.
std::vector<int> add_cut_off(const WideArea& area, const Exchange& exchange,
                             std::vector<Fate>& fates);

// "cannot be reached: links.ab is dead, and without c, nobody passes its traffic on" of a place that is
// gone; empty if those that are heard reach it.
[[nodiscard]] std::string why_cut_off(const WideArea& area, const Exchange& exchange,
                                      std::span<const Fate> fates, int place);

}  // namespace sim
