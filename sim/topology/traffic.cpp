// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/topology/topology.hpp"

namespace sim {
namespace {

// The first free ones in the order of the job's placement.
std::vector<int> free_places(const Cluster& cluster, const TrafficJob& job,
                             const std::vector<bool>& taken) {
  const auto all = static_cast<int>(taken.size());
  std::vector<int> order = order_of(cluster.network, all, job.placement);
  std::erase_if(order, [&](int place) { return taken[static_cast<std::size_t>(place)]; });
  if (order.size() < static_cast<std::size_t>(job.nodes)) {
    throw InputError(
        fmt::format("{}: '{}' wants {} nodes, but only {} of the {} of {} are free; reduce `nodes` "
                    "here, or the nodes of your own job",
                    job.place, printable(job.name), job.nodes, order.size(), all, cluster.name));
  }
  order.resize(static_cast<std::size_t>(job.nodes));
  return order;
}

std::vector<int> listed_places(const Cluster& cluster, const TrafficJob& job, int all) {
  for (const int place : job.placement.listed) {
    if (place < all) continue;
    throw InputError(
        fmt::format("{}: '{}' names node {}, but the nodes of {} are 0 to {}; list some of those",
                    job.place, printable(job.name), place, cluster.name, all - 1));
  }
  return job.placement.listed;
}

// To whom each node of the job sends.
std::vector<std::vector<int>> receivers_of(const TrafficJob& job) {
  std::vector<std::vector<int>> receivers(static_cast<std::size_t>(job.nodes));
  for (int node = 0; node < job.nodes; ++node) {
    auto& to = receivers[static_cast<std::size_t>(node)];
    if (job.pattern == TrafficJob::Pattern::ring) to = {(node + 1) % job.nodes};
    if (job.pattern != TrafficJob::Pattern::all_to_all) continue;
    for (int other = 0; other < job.nodes; ++other) {
      if (other != node) to.push_back(other);
    }
  }
  if (job.pattern == TrafficJob::Pattern::pairs) {
    for (const auto& [from, to] : job.pairs)
      receivers[static_cast<std::size_t>(from)].push_back(to);
  }
  return receivers;
}

// Over each NIC of a node, and over each queue pair: what goes to a place.
void append_ways(const Topology& topology, int from, int to, TrafficFlow& flow) {
  const Network& network = topology.cluster().network;
  for (int nic = 0; nic < network.nics_per_node; ++nic) {
    for (int connection = 0; connection < network.queue_pairs; ++connection) {
      flow.ways.push_back(topology
                              .way_between({from * network.nics_per_node + nic,
                                            to * network.nics_per_node + nic, connection})
                              .links);
    }
  }
}

}  // namespace

std::vector<std::vector<int>> traffic_places(const Cluster& cluster) {
  const int all = fabric_nodes(cluster);
  std::vector<bool> taken(static_cast<std::size_t>(all));
  const auto take = [&](const std::vector<int>& places) {
    for (const int place : places) taken[static_cast<std::size_t>(place)] = true;
  };
  take(places_of(cluster));
  std::vector<std::vector<int>> places;
  for (const TrafficJob& job : cluster.traffic) {
    places.push_back(job.placement.kind == NodePlacement::Kind::listed
                         ? listed_places(cluster, job, all)
                         : free_places(cluster, job, taken));
    take(places.back());
  }
  return places;
}

std::vector<TrafficFlow> traffic_flows(const Topology& topology) {
  const Cluster& cluster = topology.cluster();
  const Network& network = cluster.network;
  const auto places = traffic_places(cluster);
  std::vector<TrafficFlow> flows;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const TrafficJob& job = cluster.traffic[i];
    // As many as the channels of a ring on a NIC, or a channel for each message of other patterns.
    const double channels = job.pattern == TrafficJob::Pattern::ring
                                ? cluster.collectives.channels / double(network.nics_per_node)
                                : 1;
    const auto receivers = receivers_of(job);
    for (std::size_t node = 0; node < receivers.size(); ++node) {
      if (receivers[node].empty()) continue;
      TrafficFlow flow{.name = fmt::format("{}_{}", job.name, node),
                       .channels = channels / network.queue_pairs,
                       .period = job.period,
                       .on = job.on};
      for (const int to : receivers[node]) {
        append_ways(topology, places[i][node], places[i][static_cast<std::size_t>(to)], flow);
      }
      flow.share_Bps = job.bandwidth.base() / static_cast<double>(flow.ways.size());
      flows.push_back(std::move(flow));
    }
  }
  return flows;
}

}  // namespace sim
