// What a hop between two places of a wide area crosses, and how long its first byte takes. A place
// is a site; the number after the last one stands for the object storage.
#pragma once

#include "sim/cluster/wide_area.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

[[nodiscard]] inline int store_place(const WideArea& area) { return place_count(area); }

// The link that all crosses that a place sends.
[[nodiscard]] inline LinkId uplink_of(int place) { return 2 * static_cast<LinkId>(place); }

// A hop over the wide area, for Route::hops.
[[nodiscard]] inline Hop wide_hop(int source, int destination) {
  return {.source = source, .destination = destination, .nic_out = 0, .nic_in = 0};
}

// One way; to and from the storage with its request.
[[nodiscard]] Seconds wide_latency(const WideArea& area, const Hop& hop);

// What the connections between two places reach: those of all senders of the smaller site.
[[nodiscard]] Bandwidth wide_connection_rate(const WideArea& area, const Hop& hop);

// For each place "up_NAME" and "down_NAME", at most what its NICs carry; for each pair of site
// tables with a link of its own one link a direction, "link_NAME_0" from the first of its two ends
// (of one table's sites: from an earlier one) and "link_NAME_1" back; "backbone", which all others
// share; for each ordered pair that communicates the limit of its connections.
[[nodiscard]] Wiring wire(const Schedule& schedule, const WideArea& area);

}  // namespace sim
