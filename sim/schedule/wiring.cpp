// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sim {
namespace {

// `crossed(hop, route)` are the links of one share of the hop.
template <class Crossed>
std::vector<std::vector<Crossing>> wire_routes(const Schedule& schedule, Crossed crossed) {
  std::vector<std::vector<Crossing>> routes;
  for (const Route& route : schedule.routes) {
    std::vector<Crossing> all;
    for (const Hop& hop : route.hops) {
      for (const LinkId link : crossed(hop, route)) all.push_back({link, hop.times});
    }
    routes.push_back(merged(std::move(all)));
  }
  return routes;
}

void add_background(const TrafficFlow& flow, Wiring& wiring) {
  const auto own = static_cast<LinkId>(wiring.links.size());
  Link link{.name = "traffic_" + flow.name,
            .rate_Bps = flow.share_Bps,
            .kind = "traffic",
            .set_by = "traffic"};
  if (flow.period) {
    link.changes = {{.at_s = flow.on->base(), .rate_Bps = 0}};
    link.repeats_s = flow.period->base();
  }
  wiring.links.push_back(std::move(link));
  std::vector<Crossing> all{{own, 1}};
  for (const std::vector<LinkId>& way : flow.ways) {
    for (const LinkId one : way) all.push_back({one, 1});
  }
  wiring.background.push_back({merged(std::move(all)), flow.channels});
}

}  // namespace

std::vector<Crossing> merged(std::vector<Crossing> crossings) {
  std::ranges::sort(crossings, {}, &Crossing::link);
  std::vector<Crossing> few;
  for (const Crossing& one : crossings) {
    if (!few.empty() && few.back().link == one.link) {
      few.back().times += one.times;
    } else {
      few.push_back(one);
    }
  }
  return few;
}

ClusterLinks::ClusterLinks(const Topology& topology) : topology_(topology) {}

Link ClusterLinks::link(LinkId id) const {
  const Links& wired = topology_.links();
  return id < wired.size() ? wired[id] : caps_[id - wired.size()];
}

const Link& ClusterLinks::unnamed(LinkId id) const {
  const Links& wired = topology_.links();
  return id < wired.size() ? wired.unnamed(id) : caps_[id - wired.size()];
}

std::vector<LinkId> ClusterLinks::crossed(const Hop& hop, std::int32_t communicator) {
  std::vector<LinkId> links = topology_.way(hop).links;
  const Cluster& cluster = topology_.cluster();
  const auto cap = cluster.fitted.communicator_bandwidth;
  if (!cap || !hop.over_network() || communicator == 0) return links;
  const auto number = numbers_.try_emplace(communicator, numbers_.size()).first->second;
  const auto [capped, added] = capped_.try_emplace({number, node_of(cluster, hop.source)});
  if (added) {
    const auto& [of, node] = capped->first;
    capped->second = static_cast<LinkId>(count());
    caps_.push_back({.name = fmt::format("communicator_cap_{}_node_{}", of, node),
                     .rate_Bps = cap->base(),
                     .kind = "communicator_cap",
                     .set_by = "fitted.communicator_bandwidth"});
  }
  links.push_back(capped->second);
  return links;
}

Wiring wire(const Schedule& schedule, const Topology& topology) {
  ClusterLinks links(topology);
  Wiring wiring;
  wiring.routes = wire_routes(schedule, [&](const Hop& hop, const Route& route) {
    return links.crossed(hop, route.communicator);
  });
  for (LinkId id = 0; id < links.count(); ++id) wiring.links.push_back(links.link(id));
  for (const TrafficFlow& flow : traffic_flows(topology)) add_background(flow, wiring);
  return wiring;
}

Wiring wire(const Schedule& schedule, const WideTopology& topology) {
  std::vector<Link> links;
  for (LinkId id = 0; id < topology.links().size(); ++id) links.push_back(topology.links()[id]);
  std::map<std::pair<int, int>, LinkId> connections;
  const auto crossed = [&](const Hop& hop, const Route&) {
    std::vector<LinkId> way = topology.way(hop).links;
    const double rate = wide_connection_rate(topology.area(), hop).base();
    if (!std::isfinite(rate)) return way;
    const auto [known, added] = connections.try_emplace({hop.source, hop.destination});
    if (added) {
      const std::string name = fmt::format("connections_{}_{}", hop.source, hop.destination);
      known->second = static_cast<LinkId>(links.size());
      links.push_back({.name = name,
                       .rate_Bps = rate,
                       .kind = name,
                       .set_by = wide_connection_limit(topology.area(), hop)});
    }
    way.push_back(known->second);
    return way;
  };
  auto routes = wire_routes(schedule, crossed);
  return {std::move(links), std::move(routes)};
}

}  // namespace sim
