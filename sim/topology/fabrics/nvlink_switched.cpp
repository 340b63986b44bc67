// SPDX-License-Identifier: Apache-2.0
// NVSwitch: every GPU has one port into a switch that cannot be a bottleneck.
#include <climits>

#include "sim/topology/fabrics.hpp"
#include "sim/topology/ranks.hpp"

namespace sim::fabrics {
namespace {

void build_switched(const Cluster& cluster, std::span<const VertexId> gpus, Graph& graph) {
  const int ranks = rank_count(cluster);
  const auto add_ports = [&](const char* kind) {
    return graph.add_links(kind, "nvlink.bandwidth", ranks, nvlink_rate(cluster));
  };
  const LinkId out = add_ports("nvlink_out");
  const LinkId in = add_ports("nvlink_in");
  const std::vector<VertexId> switches = graph.add_vertices(cluster.nodes);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto port = static_cast<LinkId>(rank);
    const auto node = static_cast<std::size_t>(node_of(cluster, rank));
    graph.attach(gpus[port], switches[node], out + port, in + port);
  }
}

}  // namespace

constinit const NvlinkFabric switched{
    .name = "switched", .most_gpus = INT_MAX, .build = build_switched};

}  // namespace sim::fabrics
