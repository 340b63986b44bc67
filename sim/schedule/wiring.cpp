// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace sim {
namespace {

// Until then, of one period.
double capacity_within(const WiredLink& link, double until_s) {
  double bytes = 0;
  double since_s = 0;
  double rate_Bps = link.rate_Bps;
  for (const RateChange& change : link.changes) {
    if (change.at_s >= until_s) break;
    bytes += rate_Bps * (change.at_s - since_s);
    since_s = change.at_s;
    rate_Bps = change.rate_Bps;
  }
  return bytes + rate_Bps * (until_s - since_s);
}

}  // namespace

double highest_rate(const WiredLink& link) {
  double highest = link.rate_Bps;
  for (const RateChange& change : link.changes) highest = std::max(highest, change.rate_Bps);
  return highest;
}

double capacity_bytes(const WiredLink& link, double until_s) {
  if (link.repeats_s <= 0) return capacity_within(link, until_s);
  const double periods = std::floor(until_s / link.repeats_s);
  return periods * capacity_within(link, link.repeats_s) +
         capacity_within(link, until_s - periods * link.repeats_s);
}

Wiring wire(const Schedule& schedule, const Topology& topology) {
  const Cluster& cluster = topology.cluster();
  Wiring wiring;
  for (const Link& link : topology.links()) {
    wiring.links.push_back({.name = link.name(),
                            .rate_Bps = link.capacity.base(),
                            .kind = link.kind,
                            .set_by = link.set_by});
  }
  const auto cap = cluster.fitted.communicator_bandwidth;
  std::map<std::int32_t, std::size_t> numbers;           // of capped communicators, in order
  std::map<std::pair<std::size_t, int>, LinkId> capped;  // by that number and node
  for (const Route& route : schedule.routes) {
    auto& path = wiring.routes.emplace_back();
    for (const Hop& hop : route.hops) {
      std::vector<LinkId> crossed = topology.way(hop).links;
      if (cap && hop.over_network() && route.communicator != 0) {
        const auto number = numbers.try_emplace(route.communicator, numbers.size()).first->second;
        const std::pair key{number, node_of(cluster, hop.source)};
        const auto [found, added] = capped.emplace(key, static_cast<LinkId>(wiring.links.size()));
        if (added) {
          wiring.links.push_back(
              {.name = fmt::format("communicator_cap_{}_node_{}", key.first, key.second),
               .rate_Bps = cap->base(),
               .kind = "communicator_cap",
               .set_by = "fitted.communicator_bandwidth"});
        }
        crossed.push_back(found->second);
      }
      for (int share = 0; share < hop.times; ++share) {
        path.insert(path.end(), crossed.begin(), crossed.end());
      }
    }
  }
  return wiring;
}

}  // namespace sim
