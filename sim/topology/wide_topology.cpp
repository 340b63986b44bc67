// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/wide_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

int senders(const Transport& transport, const Site& site) {
  switch (transport.sender) {
    case Transport::Sender::gpu:
      return rank_count(site.cluster);
    case Transport::Sender::node:
      return site.cluster.nodes;
    case Transport::Sender::site:
      return 1;
  }
  return 1;
}

// The rate is a varying share of `full_Bps`, and never more than `most_Bps`.
Link varying_link(const Variation& variation, double full_Bps, double most_Bps, std::string name,
                  std::string set_by) {
  Link link{.name = std::move(name),
            .rate_Bps = std::min(full_Bps, most_Bps),
            .repeats_s = variation.repeats.value_or(Seconds{}).base(),
            .set_by = std::move(set_by)};
  for (const ShareChange& change : variation.changes) {
    link.changes.push_back({change.at.base(), std::min(change.share * full_Bps, most_Bps)});
  }
  return link;
}

// A link that is dead from the first moment on. Its rate decides nothing.
constexpr double kDeadRate_Bps = 1;
Variation dead_from_the_start() {
  return {.changes = {{Seconds::from_base(1e-9), 0}}, .repeats = {}};
}

bool is_store(const WideArea& area, int place) { return place == store_place(area); }
bool is_syncer(const WideArea& area, int place) {
  return area.syncer.has_value() && place == syncer_place(area);
}

// Of the two ends of a hop to or from a place apart, the site.
int site_at(const WideArea& area, const Hop& hop) {
  return hop.source < place_count(area) ? hop.source : hop.destination;
}

// All connections of a site to a place apart, which loses nothing.
Bandwidth rate_apart(const WideArea& area, const Hop& hop, Seconds latency) {
  return connection_rate(area.transport, latency * 2, 0) *
         senders(area.transport, site_of(area, site_at(area, hop)));
}

}  // namespace

WideTopology::WideTopology(const WideArea& area) : area_(area) {
  const int places = place_count(area_);
  const std::vector<VertexId> sites = graph_.add_vertices(places);
  const std::vector<VertexId> accesses = graph_.add_vertices(places);
  for (int place = 0; place < places; ++place) {
    const auto number = static_cast<std::size_t>(place);
    const LinkId up = add_access(place, "up_", "uplink", &Site::uplink);
    const LinkId down = add_access(place, "down_", "downlink", &Site::downlink);
    graph_.attach(sites[number], accesses[number], up, down);
  }
  if (area_.syncer) {
    for (const auto& [direction, rate] : {std::pair{"up", area_.syncer->uplink.base()},
                                          std::pair{"down", area_.syncer->downlink.base()}}) {
      Link link = varying_link({}, rate, rate, std::string("syncer_") + direction,
                               fmt::format("syncer.{}link", direction));
      link.kind = link.name;
      graph_.add_link(std::move(link));
    }
  }
  for (const WideLink& link : area_.links) {
    between_.push_back(add_shared(link, "link_" + link.name, {"_0", "_1"}));
  }
  // The backbone is one link for both directions, crossed once.
  const LinkId backbone =
      area_.backbone ? add_shared(*area_.backbone, area_.backbone->name, {""}) : kNoLimit;
  const VertexId core = graph_.add_vertex();
  for (const VertexId access : accesses) graph_.attach(access, core, backbone, kNoLimit);
}

LinkId WideTopology::add_access(int place, const char* direction, const char* key,
                                Bandwidth Site::*rate) {
  const Site& site = site_of(area_, place);
  const double full_Bps = (site.*rate).base();
  const double nics_Bps = all_nics_rate(site.cluster).base();
  std::string set_by = nics_Bps < full_Bps
                           ? fmt::format("network.nic_bandwidth of {}", site.cluster.name)
                           : fmt::format("sites.{}.{}", site.name, key);
  Link link = varying_link(site.variation, full_Bps, nics_Bps, direction + place_name(area_, place),
                           std::move(set_by));
  link.kind = direction + site.name;
  return graph_.add_link(std::move(link));
}

LinkId WideTopology::add_shared(const WideLink& link, const std::string& name,
                                std::initializer_list<const char*> directions) {
  if (!link.bandwidth && !link.dead) return kNoLimit;
  const auto first = static_cast<LinkId>(graph_.links().size());
  const double rate =
      link.bandwidth ? link.bandwidth->base() * (1 - link.background) : kDeadRate_Bps;
  const std::string table = link.between.empty() ? link.name : "links." + link.name;
  for (const char* direction : directions) {
    Link one = varying_link(link.dead ? dead_from_the_start() : link.variation, rate, rate,
                            name + direction, table + ".bandwidth");
    one.kind = one.name;
    graph_.add_link(std::move(one));
  }
  return first;
}

// From the second of the link's two ends to the first; between sites of one table, from a later
// one to an earlier one.
bool WideTopology::goes_back(const Hop& hop, std::size_t link) const {
  const auto& ends = area_.links[link].between;
  if (ends[0] == ends[1]) return hop.source > hop.destination;
  return site_of(area_, hop.source).name != ends[0];
}

Way WideTopology::way(const Hop& hop) const {
  const auto source = static_cast<VertexId>(hop.source);
  const auto destination = static_cast<VertexId>(hop.destination);
  Way way;
  if (is_syncer(area_, hop.source) || is_syncer(area_, hop.destination)) {
    way.links = {uplink_of(hop.source), uplink_of(hop.destination) + 1};
  } else if (is_store(area_, hop.source)) {
    way.links = {graph_.vertex(destination).down};
  } else if (is_store(area_, hop.destination)) {
    way.links = {graph_.vertex(source).up};
  } else if (const int link = link_between(area_, hop.source, hop.destination); link >= 0) {
    const auto number = static_cast<std::size_t>(link);
    way.links = {graph_.vertex(source).up};
    if (between_[number] != kNoLimit) {
      way.links.push_back(between_[number] + (goes_back(hop, number) ? 1 : 0));
    }
    way.links.push_back(graph_.vertex(destination).down);
  } else {
    append_tree_way(graph_, source, destination, way);
  }
  return way;
}

Seconds wide_latency(const WideArea& area, const Hop& hop) {
  if (is_syncer(area, hop.source) || is_syncer(area, hop.destination)) return area.syncer->latency;
  const int store = store_place(area);
  if (hop.source == store || hop.destination == store) {
    return area.store->request + area.store->latency;
  }
  return path_between(area, hop.source, hop.destination).latency;
}

Bandwidth wide_connection_rate(const WideArea& area, const Hop& hop) {
  if (is_syncer(area, hop.source) || is_syncer(area, hop.destination)) {
    return rate_apart(area, hop, area.syncer->latency);
  }
  const int store = store_place(area);
  if (hop.destination == store || hop.source == store) {
    const Bandwidth served = hop.destination == store ? area.store->upload : area.store->download;
    return std::min(served, rate_apart(area, hop, area.store->latency));
  }
  const WideLink& path = path_between(area, hop.source, hop.destination);
  const int count = std::min(senders(area.transport, site_of(area, hop.source)),
                             senders(area.transport, site_of(area, hop.destination)));
  return connection_rate(area.transport, path.latency * 2, path.loss) * count;
}

std::string wide_connection_kind(const WideArea& area, const Hop& hop) {
  const auto name = [&](int place) {
    if (is_syncer(area, place)) return std::string("syncer");
    return is_store(area, place) ? std::string("store") : site_of(area, place).name;
  };
  return fmt::format("connections {} to {}", name(hop.source), name(hop.destination));
}

std::string wide_connection_limit(const WideArea& area, const Hop& hop) {
  const double rate = wide_connection_rate(area, hop).base();
  if (is_store(area, hop.destination) && rate == area.store->upload.base()) return "store.upload";
  if (is_store(area, hop.source) && rate == area.store->download.base()) return "store.download";
  return area.transport.kind == Transport::Kind::tcp ? "tcp.streams" : "rdma.buffer";
}

}  // namespace sim
