// SPDX-License-Identifier: Apache-2.0
// The way of traffic between two sites whose link is dead: a third site passes it on as it arrives, so
// both hops move together, at the pace of the slower one.
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

// The hop itself; or two hops where the link between its ends is dead, by way of that one of `relays`
// that makes them fastest, the first of several. Without such a site it is the hop over the dead link,
// which never ends.
[[nodiscard]] std::vector<Hop> hops_of(const WideTopology& topology, const Hop& direct,
                                       std::span<const int> relays);

// "dead: from east to west by way of north, back by way of south", of the first sites at its ends.
[[nodiscard]] std::string text_of_detours(const WideArea& area, const WideLink& dead);

}  // namespace sim
