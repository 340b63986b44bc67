// SPDX-License-Identifier: Apache-2.0
// PCIe: GPUs without NVLink. Each has a port of `bandwidth` into a PCIe switch; the GPUs of a
// switch share one link to a host bridge, and those of a socket one to the other sockets.
//
//   GPU ─► switch ─► host bridges of a socket ─► the other sockets
#include <climits>

#include "sim/topology/fabrics.hpp"
#include "sim/topology/ranks.hpp"

namespace sim::fabrics {
namespace {

struct PcieLevel {
  const char *up, *down;  // kinds of links
  const char* set_by;
  Bandwidth bandwidth;
  int gpus;  // of a node, below each vertex of the level above
};

// Puts the vertices of all nodes under new ones, which share links by as many as lie below them.
// `gpus` is how many of a node lie below each; returns the new ones.
std::vector<VertexId> add_level(const Cluster& cluster, std::span<const VertexId> below, int gpus,
                                const PcieLevel& level, Graph& graph) {
  const auto parts = [&](int size) { return (cluster.gpus_per_node + size - 1) / size; };
  const auto links = static_cast<int>(below.size());
  const Bandwidth rate = level.bandwidth * cluster.nvlink.efficiency;
  const LinkId up = graph.add_links(level.up, level.set_by, links, rate);
  const LinkId down = graph.add_links(level.down, level.set_by, links, rate);
  const std::vector<VertexId> above = graph.add_vertices(cluster.nodes * parts(level.gpus));
  for (int i = 0; i < links; ++i) {
    const int node = i / parts(gpus);
    const int place = i % parts(gpus) * gpus / level.gpus;
    const auto id = static_cast<std::size_t>(i);
    graph.attach(below[id], above[static_cast<std::size_t>(node * parts(level.gpus) + place)],
                 up + static_cast<LinkId>(i), down + static_cast<LinkId>(i));
  }
  return above;
}

void build_pcie(const Cluster& cluster, std::span<const VertexId> gpus, Graph& graph) {
  const Nvlink& nvlink = cluster.nvlink;
  const auto switches = add_level(
      cluster, gpus, 1,
      {"pcie_out", "pcie_in", "nvlink.bandwidth", nvlink.bandwidth, nvlink.gpus_per_bridge}, graph);
  const auto sockets = add_level(cluster, switches, nvlink.gpus_per_bridge,
                                 {"bridge_up", "bridge_down", "nvlink.bridge_bandwidth",
                                  nvlink.bridge_bandwidth, nvlink.gpus_per_socket},
                                 graph);
  static_cast<void>(add_level(cluster, sockets, nvlink.gpus_per_socket,
                              {"socket_out", "socket_in", "nvlink.socket_bandwidth",
                               nvlink.socket_bandwidth, cluster.gpus_per_node},
                              graph));
}

}  // namespace

constinit const NvlinkFabric pcie{
    .name = "pcie", .most_gpus = INT_MAX, .bridges = true, .build = build_pcie};

}  // namespace sim::fabrics
