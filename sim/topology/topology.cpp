// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/topology.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/mix.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {

Topology::Topology(const Cluster& cluster)
    : cluster_(cluster),
      places_(places_of(cluster)),
      fabric_nodes_(1 + *std::ranges::max_element(places_)) {
  for (const std::vector<int>& places : traffic_places(cluster)) {
    fabric_nodes_ = std::max(fabric_nodes_, 1 + *std::ranges::max_element(places));
  }
  const int nic_count = fabric_nodes_ * cluster_.network.nics_per_node;
  constexpr int kNicsOfSwitch = 4;  // few fabrics have more switches
  Graph graph(
      static_cast<std::size_t>(rank_count(cluster_) + nic_count + nic_count / kNicsOfSwitch));
  const std::vector<VertexId> gpus = graph.add_vertices(rank_count(cluster_));
  const std::vector<VertexId> nics = graph.add_vertices(nic_count);
  nics_ = nics.front();
  cluster_.nvlink.kind->build(cluster_, gpus, graph);
  cluster_.network.fabric->build(cluster_.network, nic_rate(cluster_), nics, graph);
  const Network& network = cluster_.network;
  const auto add_far = [&](const char* kind) {
    const int count = cluster_.nodes * static_cast<int>(network.far_gpus.size());
    return graph.add_links(kind, "network.far_bandwidth", count, network.far_bandwidth);
  };
  if (!network.far_gpus.empty()) {
    far_out_ = add_far("far_nic_out");
    far_in_ = add_far("far_nic_in");
  }
  graph_ = std::make_shared<const Graph>(std::move(graph));
}

Topology Topology::with(Routing routing) const {
  Topology other = *this;
  other.cluster_.network.routing = routing;
  return other;
}

std::uint64_t Topology::fingerprint() const {
  std::uint64_t of_all = graph_->fingerprint();
  for (const int place : places_) of_all = mix(of_all, static_cast<std::uint64_t>(place));
  return of_all;
}

int Topology::nic(int rank, std::int16_t number) const {
  return place_of(node_of(cluster_, rank)) * cluster_.network.nics_per_node + number;
}

VertexId Topology::nic_vertex(int rank, std::int16_t number) const {
  return nics_ + static_cast<VertexId>(nic(rank, number));
}

LinkId Topology::far_link(int rank, LinkId first) const {
  const std::vector<int>& far = cluster_.network.far_gpus;
  const auto found = std::ranges::find(far, gpu_of(cluster_, rank));
  if (found == far.end()) return kNoLimit;
  return first + static_cast<LinkId>(node_of(cluster_, rank)) * static_cast<LinkId>(far.size()) +
         static_cast<LinkId>(found - far.begin());
}

std::vector<Hop> Topology::path(int source, int destination) const {
  const int node = node_of(cluster_, source);
  if (node == node_of(cluster_, destination)) return {{source, destination}};
  const auto nic_in = static_cast<std::int16_t>(nic_of(cluster_, destination));
  const auto nic_out = static_cast<std::int16_t>(nic_of(cluster_, source));
  if (!cluster_.network.fabric->relays || nic_out == nic_in) {
    return {{source, destination, nic_out, nic_in}};
  }
  for (int gpu = 0; gpu < cluster_.gpus_per_node; ++gpu) {
    const int relay = node * cluster_.gpus_per_node + gpu;
    if (nic_of(cluster_, relay) == nic_in) {
      return {{source, relay}, {relay, destination, nic_in, nic_in}};
    }
  }
  return {{source, destination, nic_in, nic_in}};  // no GPU of the node is on that rail
}

std::vector<Hop> Topology::tree_of_sums(const std::vector<int>& ranks) const {
  std::vector<Hop> hops;
  std::set<VertexId> passed;
  for (const int rank : ranks) {
    Hop hop{rank, rank, static_cast<std::int16_t>(nic_of(cluster_, rank))};
    VertexId at = graph_->vertex(nic_vertex(rank, hop.nic_out)).above;
    int levels = 1;
    while (passed.insert(at).second && graph_->vertex(at).above != Vertex::kNone) {
      at = graph_->vertex(at).above;
      ++levels;
    }
    hop.nic_in = static_cast<std::int16_t>(-1 - levels);
    hops.push_back(hop);
  }
  return hops;
}

void Topology::append_up_and_down(const Hop& hop, Way& way) const {
  way.switches += hop.levels_up();
  VertexId at = nic_vertex(hop.source, hop.nic_out);
  for (int level = 0; level < hop.levels_up(); ++level) {
    const Vertex& below = graph_->vertex(at);
    for (const LinkId link : {below.up, below.down}) {
      if (link != kNoLimit) way.links.push_back(link);
    }
    at = below.above;
  }
}

Way Topology::way_between(const NicWay& nics) const {
  Way way;
  append_between(nics, way);
  return way;
}

void Topology::append_between(const NicWay& nics, Way& way) const {
  constexpr std::size_t kUsual = 8;
  const Network& network = cluster_.network;
  const auto from = static_cast<VertexId>(nics.from), to = static_cast<VertexId>(nics.to);
  way.links.reserve(kUsual);
  NicPair pair{.from = nics_ + from,
               .to = nics_ + to,
               .detours = nics.detours || network.routing == Routing::valiant};
  if (network.load_balance == LoadBalance::ecmp) {
    pair.hash =
        mix(mix(mix(network.ecmp_seed, from), to), static_cast<std::uint64_t>(nics.connection));
  }
  network.fabric->append_way(network, *graph_, pair, way);
}

Way Topology::way(const Hop& hop) const {
  Way way;
  find(hop, way);
  return way;
}

void Topology::find(const Hop& hop, Way& way) const {
  way.links.clear();
  way.switches = 0;
  if (hop.levels_up() > 0) return append_up_and_down(hop, way);
  if (hop.over_network()) {
    require(!cluster_.network.fabric->relays || hop.nic_out == hop.nic_in,
            "a hop over rails stays on its rail");
    append_between({nic(hop.source, hop.nic_out), nic(hop.destination, hop.nic_in), hop.connection,
                    hop.detours},
                   way);
    if (cluster_.nvlink.kind->bridges) {  // by the GPUs' only ports
      way.links.push_back(graph_->vertex(static_cast<VertexId>(hop.source)).up);
      way.links.push_back(graph_->vertex(static_cast<VertexId>(hop.destination)).down);
    }
    for (const LinkId link : {far_link(hop.source, far_out_), far_link(hop.destination, far_in_)}) {
      if (link != kNoLimit) way.links.push_back(link);
    }
    return;
  }
  require(node_of(cluster_, hop.source) == node_of(cluster_, hop.destination),
          "NVLink joins GPUs of one node");
  cluster_.nvlink.kind->append_way(*graph_, static_cast<VertexId>(hop.source),
                                   static_cast<VertexId>(hop.destination), way);
}

Seconds Topology::latency(const Hop& hop) const {
  return hop.over_network() ? latency_over(way(hop)) : cluster_.nvlink.latency;
}

Seconds Topology::latency_over(const Way& network_way) const {
  const int further_switches = std::max(0, network_way.switches - 1);
  return cluster_.network.latency + cluster_.network.switch_latency * further_switches;
}

}  // namespace sim
