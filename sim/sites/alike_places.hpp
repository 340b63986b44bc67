// SPDX-License-Identifier: Apache-2.0
// alike_places(): the places of a round that do the same at the same time. One of them stands for all:
// it alone has operations, and each of its messages stands for those of all.
//
//   10 000 peers through a store      1 upload, over 1 uplink
//                                     1 download, over 1 downlink 9 999 times
//
// As inside a site (sim/schedule/alike.hpp), a link of the simulation carries as much of a flow as each
// link of its class carries of all flows of that class. The classes need no search: sites of one table
// have equal lines, and equal paths to the sites of any other table.
#pragma once

#include <vector>

#include "sim/sites/plan_round.hpp"

namespace sim {

// By place: those for which it stands, itself first; none where another one stands for it.
//
// Alike are places of one table, of the same work and fate, if the exchange treats them alike
// (Exchange::alike_sites). Not the first one that is heard, if it leads; nor those of a table with a
// link between its own sites, whose direction depends on their order; nor, where regions exchange,
// those of a table without one; nor, where sites exchange directly, any where a link is dead, as one site then passes its traffic on.
[[nodiscard]] std::vector<std::vector<int>> alike_places(const WideArea& area,
                                                         const RoundShape& shape);

// How many places stand for all before any of them has a fate of its own.
[[nodiscard]] int unlike_places(const WideArea& area, const SiteExchange& exchange);

}  // namespace sim
