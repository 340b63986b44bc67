// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/detours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sim {
namespace {

// The store and the syncer have no links that could be dead.
bool is_over_dead_link(const WideArea& area, const Hop& hop) {
  const int places = place_count(area);
  return hop.source < places && hop.destination < places &&
         is_dead_between(area, hop.source, hop.destination);
}

bool can_pass_on(const WideArea& area, const Hop& direct, int relay) {
  return relay != direct.source && relay != direct.destination &&
         !is_dead_between(area, direct.source, relay) &&
         !is_dead_between(area, relay, direct.destination);
}

std::vector<Hop> by_way_of(int relay, const Hop& direct) {
  Hop first = direct, second = direct;
  first.destination = second.source = relay;
  return {first, second};
}

}  // namespace

WayCost way_cost(const WideTopology& topology, std::span<const Hop> hops,
                 std::vector<std::pair<LinkId, double>>& crossings) {
  WayCost cost;
  const std::size_t before = crossings.size();
  for (const Hop& hop : hops) {
    cost.latency_s += wide_latency(topology.area(), hop).base();
    cost.s_per_byte =
        std::max(cost.s_per_byte, 1 / wide_connection_rate(topology.area(), hop).base());
    for (const LinkId link : topology.way(hop).links) {
      crossings.emplace_back(link, 1 / topology.links()[link].rate_Bps);
    }
  }
  for (std::size_t i = before; i < crossings.size(); ++i) {
    double load = 0;  // of the link, by all hops that cross it
    for (std::size_t j = before; j < crossings.size(); ++j) {
      if (crossings[j].first == crossings[i].first) load += crossings[j].second;
    }
    cost.s_per_byte = std::max(cost.s_per_byte, load);
  }
  return cost;
}

std::vector<Hop> hops_of(const WideTopology& topology, const Hop& direct,
                         std::span<const int> relays) {
  std::vector<Hop> best{direct};
  if (!is_over_dead_link(topology.area(), direct)) return best;
  std::optional<WayCost> least;
  for (const int relay : relays) {
    if (!can_pass_on(topology.area(), direct, relay)) continue;
    std::vector<Hop> hops = by_way_of(relay, direct);
    std::vector<std::pair<LinkId, double>> crossings;
    const WayCost cost = way_cost(topology, hops, crossings);
    if (least && !(cost < *least)) continue;
    least = cost;
    best = std::move(hops);
  }
  return best;
}

std::string text_of_detours(const WideArea& area, const WideLink& dead) {
  const std::vector<int> all = all_places(area);
  const auto at = [&](const std::string& table) {
    return *std::ranges::find(all, table, [&](int place) { return site_of(area, place).name; });
  };
  const int one = at(dead.between[0]);
  const int other = dead.between[0] == dead.between[1] ? one + 1 : at(dead.between[1]);
  const WideTopology topology(area);
  const auto relay = [&](int from, int to) {
    const std::vector<Hop> hops = hops_of(topology, wide_hop(from, to), all);
    return hops.size() > 1 ? place_name(area, hops.front().destination) : std::string("no site");
  };
  return fmt::format("dead: from {} to {} by way of {}, back by way of {}", place_name(area, one),
                     place_name(area, other), relay(one, other), relay(other, one));
}

}  // namespace sim
