// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace sim {
namespace {

// `crossed(hop)` are the links of one share of the hop.
template <class Crossed>
void find_crossings(const std::vector<Hop>& hops, Crossed crossed, std::vector<Crossing>& all) {
  all.clear();
  for (const Hop& hop : hops) {
    for (const LinkId link : crossed(hop)) all.push_back({link, hop.times});
  }
  merge(all, &Crossing::link);
}

// The links between sites, of which one stands for those of all sites that are alike.
class WideLinks {
 public:
  WideLinks(const Schedule& schedule, const WideTopology& topology)
      : topology_(topology), stands_for_(schedule.alike.size()) {
    for (LinkId id = 0; id < topology.links().size(); ++id) add(topology.links()[id], 1);
    for (std::size_t place = 0; place < schedule.alike.size(); ++place) {
      const std::vector<int>& alike = schedule.alike[place];
      for (const int site : alike) stands_for_[static_cast<std::size_t>(site)] = place;
      for (const LinkId id : links_at(place)) {
        alike_[id] = std::max(1U, static_cast<std::uint32_t>(alike.size()));
        if (alike.empty()) links_[id].changes.clear();  // nothing crosses it
      }
    }
    std::set<Hop> hops;  // in the order of their ends
    for (const Route& route : schedule.routes) hops.insert(route.hops.begin(), route.hops.end());
    for (const Hop& hop : hops) add_connections(hop);
  }

  // Those of one share of the hop.
  [[nodiscard]] std::vector<LinkId> crossed(const Hop& hop) const {
    std::vector<LinkId> way = topology_.way(hop).links;
    for (LinkId& id : way) id = standing_for(id);
    const auto own = connections_.find({hop.source, hop.destination});
    if (own != connections_.end()) way.push_back(own->second);
    return way;
  }

  // Of the routes, which have the shares of all links that are alike.
  [[nodiscard]] Wiring wiring(std::vector<std::vector<Crossing>> routes) && {
    for (std::vector<Crossing>& route : routes) {
      for (auto& [link, times] : route) times /= static_cast<int>(alike_[link]);
    }
    return {std::move(links_), std::move(routes), {}, std::move(alike_)};
  }

 private:
  void add(Link link, std::uint32_t alike) {
    links_.push_back(std::move(link));
    alike_.push_back(alike);
  }

  void add_connections(const Hop& hop) {
    const double rate = wide_connection_rate(topology_.area(), hop).base();
    if (!std::isfinite(rate)) return;
    const auto next = static_cast<LinkId>(links_.size());
    if (!connections_.try_emplace({hop.source, hop.destination}, next).second) return;
    add({.name = fmt::format("connections_{}_{}", hop.source, hop.destination),
         .rate_Bps = rate,
         .kind = wide_connection_kind(topology_.area(), hop),
         .set_by = wide_connection_limit(topology_.area(), hop)},
        connections(hop));
  }

  static std::array<LinkId, 2> links_at(std::size_t place) {
    const LinkId up = uplink_of(static_cast<int>(place));
    return {up, up + 1};
  }

  [[nodiscard]] LinkId standing_for(LinkId id) const {
    const std::size_t place = id / 2;
    if (place >= stands_for_.size()) return id;  // shared
    return links_at(stands_for_[place])[id % 2];
  }

  // Each pair of sites has its own, and so does a site with the syncer; what goes to and from the
  // storage shares those of its site.
  [[nodiscard]] std::uint32_t connections(const Hop& hop) const {
    const int store = store_place(topology_.area());
    if (hop.source == store) return alike_[uplink_of(hop.destination)];
    if (hop.destination == store) return alike_[uplink_of(hop.source)];
    return static_cast<std::uint32_t>(hop.times);
  }

  const WideTopology& topology_;
  std::vector<std::size_t> stands_for_;  // by site
  std::vector<Link> links_;
  std::vector<std::uint32_t> alike_;  // by link
  std::map<std::pair<int, int>, LinkId> connections_;
};

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
  merge(all, &Crossing::link);
  wiring.background.push_back({std::move(all), flow.channels});
}

}  // namespace

ClusterLinks::ClusterLinks(const Topology& topology) : topology_(topology) {}

Link ClusterLinks::link(LinkId id) const {
  const Links& wired = topology_.links();
  return id < wired.size() ? wired[id] : caps_[id - wired.size()];
}

const Link& ClusterLinks::unnamed(LinkId id) const {
  const Links& wired = topology_.links();
  return id < wired.size() ? wired.unnamed(id) : caps_[id - wired.size()];
}

const std::vector<LinkId>& ClusterLinks::crossed(const Hop& hop, std::int32_t communicator) {
  topology_.find(hop, way_);
  std::vector<LinkId>& links = way_.links;
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
                     .kind = "communicator",
                     .set_by = "fitted.communicator_bandwidth"});
  }
  links.push_back(capped->second);
  return links;
}

const std::vector<Crossing>& ClusterLinks::crossings(const std::vector<Hop>& hops,
                                                     std::int32_t communicator) {
  const auto of_hop = [&](const Hop& hop) -> const auto& { return crossed(hop, communicator); };
  find_crossings(hops, of_hop, crossings_);
  return crossings_;
}

Wiring wire(const Schedule& schedule, const Topology& topology) {
  ClusterLinks links(topology);
  Wiring wiring;
  for (const Route& route : schedule.routes) {
    wiring.routes.push_back(links.crossings(route.hops, route.communicator));
  }
  for (LinkId id = 0; id < links.count(); ++id) wiring.links.push_back(links.link(id));
  for (const TrafficFlow& flow : traffic_flows(topology)) add_background(flow, wiring);
  return wiring;
}

Wiring wire(const Schedule& schedule, const WideTopology& topology) {
  WideLinks links(schedule, topology);
  std::vector<std::vector<Crossing>> routes;
  std::vector<Crossing> crossings;
  for (const Route& route : schedule.routes) {
    find_crossings(
        route.hops, [&](const Hop& hop) { return links.crossed(hop); }, crossings);
    routes.push_back(crossings);
  }
  return std::move(links).wiring(std::move(routes));
}

}  // namespace sim
