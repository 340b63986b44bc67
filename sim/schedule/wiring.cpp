// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/wiring.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace sim {
namespace {

// `cap_of(route, hop, links)` gives one more link of the hop, if it has one, and adds it to `links`
// when it is new.
template <class Topology, class CapOf>
Wiring wire_routes(const Schedule& schedule, const Topology& topology, CapOf cap_of) {
  Wiring wiring;
  wiring.links.assign(topology.links().begin(), topology.links().end());
  for (const Route& route : schedule.routes) {
    auto& path = wiring.routes.emplace_back();
    for (const Hop& hop : route.hops) {
      std::vector<LinkId> crossed = topology.way(hop).links;
      if (const auto cap = cap_of(route, hop, wiring.links)) crossed.push_back(*cap);
      for (int share = 0; share < hop.times; ++share) {
        path.insert(path.end(), crossed.begin(), crossed.end());
      }
    }
  }
  return wiring;
}

LinkId append(Link link, std::vector<Link>& links) {
  links.push_back(std::move(link));
  return static_cast<LinkId>(links.size() - 1);
}

}  // namespace

Wiring wire(const Schedule& schedule, const Topology& topology) {
  const Cluster& cluster = topology.cluster();
  const auto cap = cluster.fitted.communicator_bandwidth;
  std::map<std::int32_t, std::size_t> numbers;           // of capped communicators, in order
  std::map<std::pair<std::size_t, int>, LinkId> capped;  // by that number and node
  const auto cap_of = [&](const Route& route, const Hop& hop,
                          std::vector<Link>& links) -> std::optional<LinkId> {
    if (!cap || !hop.over_network() || route.communicator == 0) return std::nullopt;
    const auto number = numbers.try_emplace(route.communicator, numbers.size()).first->second;
    const std::pair key{number, node_of(cluster, hop.source)};
    if (const auto known = capped.find(key); known != capped.end()) return known->second;
    return capped[key] =
               append({.name = fmt::format("communicator_cap_{}_node_{}", key.first, key.second),
                       .rate_Bps = cap->base(),
                       .kind = "communicator_cap",
                       .set_by = "fitted.communicator_bandwidth"},
                      links);
  };
  return wire_routes(schedule, topology, cap_of);
}

Wiring wire(const Schedule& schedule, const WideTopology& topology) {
  std::map<std::pair<int, int>, LinkId> connections;
  const auto cap_of = [&](const Route&, const Hop& hop,
                          std::vector<Link>& links) -> std::optional<LinkId> {
    const double rate = wide_connection_rate(topology.area(), hop).base();
    if (!std::isfinite(rate)) return std::nullopt;
    const std::pair pair{hop.source, hop.destination};
    if (const auto known = connections.find(pair); known != connections.end()) {
      return known->second;
    }
    const std::string name = fmt::format("connections_{}_{}", hop.source, hop.destination);
    return connections[pair] = append({.name = name,
                                       .rate_Bps = rate,
                                       .kind = name,
                                       .set_by = wide_connection_limit(topology.area(), hop)},
                                      links);
  };
  return wire_routes(schedule, topology, cap_of);
}

}  // namespace sim
