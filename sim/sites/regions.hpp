// SPDX-License-Identifier: Apache-2.0
// Rounds by regions: every `across_every` rounds all sites exchange, in the others those of each
// region among themselves.
//
//   round        0        1        2        3        4          across_every = 3
//   region A  ─[across]─[  A  ]──[  A  ]─[across]─[  A  ]─
//   region B  ─[across]─[  B  ]──[  B  ]─[across]─[  B  ]─
//
// Between two exchanges across, no region waits for another. A site alone in its region goes on without
// an exchange. The first round is across: who is late or gone shows there.
#pragma once

#include <cstddef>

#include "sim/schemes/scheme.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

// As it runs on the area. With one region every round is the same; where no region has two sites,
// nothing is exchanged between the rounds across, and they are all that there are.
[[nodiscard]] SiteExchange by_regions(SiteExchange exchange, const WideArea& area);

// Sites in the region of those of a table.
[[nodiscard]] int region_size(const WideArea& area, std::size_t table);

// Of the outer state of a site in a region of that size: exchanges inside regions and across them
// each have one of their own.
[[nodiscard]] int outer_levels(const SiteExchange& exchange, int region_size, int places);

}  // namespace sim
