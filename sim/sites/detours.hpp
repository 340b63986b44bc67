// SPDX-License-Identifier: Apache-2.0
// The way of traffic between two sites whose link is dead: other sites pass it on as it arrives, so all
// hops move together, at the pace of the slowest one.
//
//   a ─up─► link a-c ─down─► c ─up─► link c-b ─down─► b
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/topology/wide_topology.hpp"

namespace sim {

// What hops that move together cost. Lower is faster: the first that differs decides.
struct WayCost {
  double s_per_byte = 0;  // over the fullest link, or the slowest connection
  double latency_s = 0;   // of all hops
  auto operator<=>(const WayCost&) const = default;
};

// Of hops between sites, at the full rates of the links, whatever varies with time. Appends each
// crossing of a link, with its seconds per byte, to `crossings`.
[[nodiscard]] WayCost way_cost(const WideTopology& topology, std::span<const Hop> hops,
                               std::vector<std::pair<LinkId, double>>& crossings);

// The hop itself; or several where the link between its ends is dead: the fastest way over any of
// `relays`, which ascend; of equally fast ones that with the fewest hops. Without a way it is the hop
// over the dead link, which never ends.
[[nodiscard]] std::vector<Hop> hops_of(const WideTopology& topology, const Hop& direct,
                                       std::span<const int> relays);
// Whether there is a way.
[[nodiscard]] bool reaches(const WideTopology& topology, const Hop& direct,
                           std::span<const int> relays);

// "dead: from east to west by way of north and south, back by way of north", of the first sites at its
// ends.
[[nodiscard]] std::string text_of_detours(const WideArea& area, const WideLink& dead);

}  // namespace sim
