// SPDX-License-Identifier: Apache-2.0
// The links of a hop between two places of a wide area, and the latency of its first byte. A place
// is a site; the number after the last site stands for the object storage.
#pragma once

#include "sim/cluster/wide_area.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

[[nodiscard]] inline int store_place(const WideArea& area) { return place_count(area); }

// The link that carries everything sent by a place.
[[nodiscard]] inline LinkId uplink_of(int place) { return 2 * static_cast<LinkId>(place); }

// A hop over the wide area, for Route::hops.
[[nodiscard]] inline Hop wide_hop(int source, int destination) {
  return {.source = source, .destination = destination, .nic_out = 0, .nic_in = 0};
}

// One way; to and from the storage, its request included.
[[nodiscard]] Seconds wide_latency(const WideArea& area, const Hop& hop);

// The rate of the connections between two places, summed over all senders of the smaller site.
[[nodiscard]] Bandwidth wide_connection_rate(const WideArea& area, const Hop& hop);

// For each place "up_NAME" and "down_NAME", at most the rate of its NICs; for each pair of site
// tables with a link of its own one link per direction, "link_NAME_0" from the first of its two
// ends (within one table: from the earlier site) and "link_NAME_1" back; "backbone", shared by all
// other pairs; for each ordered pair that communicates, the limit of its connections.
[[nodiscard]] Wiring wire(const Schedule& schedule, const WideArea& area);

}  // namespace sim
