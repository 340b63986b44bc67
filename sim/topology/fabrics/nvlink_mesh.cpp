// SPDX-License-Identifier: Apache-2.0
// Full mesh: every ordered pair of a node's GPUs has a link of its own.
#include "sim/topology/fabrics.hpp"
#include "sim/topology/ranks.hpp"

namespace sim::fabrics {
namespace {

// The largest mesh built: DGX-1 and MI300X nodes. Rings over more would have too many orders.
constexpr int kLargestMesh = 8;

// The links of a node are numbered by sender, then receiver; those from a GPU to itself stay unused.
void build_mesh(const Cluster& cluster, std::span<const VertexId> gpus, Graph& graph) {
  const int per_node = cluster.gpus_per_node;
  const LinkId first = graph.add_links("nvlink", "nvlink.bandwidth", rank_count(cluster) * per_node,
                                       nvlink_rate(cluster));
  for (int from = 0; from < rank_count(cluster); ++from) {
    const int node = node_of(cluster, from) * per_node;
    for (int gpu = 0; gpu < per_node; ++gpu) {
      if (node + gpu == from) continue;
      graph.join(gpus[static_cast<std::size_t>(from)], gpus[static_cast<std::size_t>(node + gpu)],
                 first + static_cast<LinkId>(from * per_node + gpu));
    }
  }
}

}  // namespace

constinit const NvlinkFabric full_mesh{.name = "full_mesh",
                                       .direct = true,
                                       .most_gpus = kLargestMesh,
                                       .build = build_mesh,
                                       .append_way = append_direct_way};

}  // namespace sim::fabrics
