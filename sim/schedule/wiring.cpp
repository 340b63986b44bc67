#include "sim/schedule/wiring.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace sim {

Wiring wire(const Schedule& schedule, const Cluster& cluster) {
  Wiring wiring;
  const Links links(cluster);
  for (LinkId id = 0; id < links.size(); ++id) {
    wiring.links.push_back({.name = links.name(id), .rate_Bps = links.capacity(id).base()});
  }
  const auto cap = cluster.fitted.communicator_bandwidth;
  std::map<std::pair<int, int>, LinkId> capped;  // by communicator and node
  std::vector<LinkId> crossed;
  for (const Route& route : schedule.routes) {
    auto& path = wiring.routes.emplace_back();
    for (const Hop& hop : route.hops) {
      crossed.clear();
      links.append(hop, crossed);
      if (cap && hop.over_network() && route.communicator != 0) {
        const std::pair key{route.communicator, node_of(cluster, hop.source)};
        const auto [found, added] = capped.emplace(key, static_cast<LinkId>(wiring.links.size()));
        if (added) {
          wiring.links.push_back({.name = fmt::format("communicator_{}_{}", key.first, key.second),
                                  .rate_Bps = cap->base()});
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
