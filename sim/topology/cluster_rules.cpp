// SPDX-License-Identifier: Apache-2.0
// Rules over several keys of a cluster file.
#include <fmt/format.h>

#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

std::string mesh_too_large(const Cluster& cluster) {
  const int most = cluster.nvlink.kind->most_gpus;
  if (cluster.gpus_per_node <= most) return {};
  return fmt::format("a full mesh joins at most {} GPUs, not {}; write \"switched\"", most,
                     cluster.gpus_per_node);
}

// `whole` is filled by parts of `part`, or lies in one of them: a node whose sockets or bridges are
// not alike is not modelled.
std::string uneven(int part, int whole, std::string_view noun) {
  if (part >= whole || whole % part == 0) return {};
  return fmt::format("{} does not divide the {} {}; write a divisor, or at least {}", part, whole,
                     noun, whole);
}

std::string uneven_bridges(const Cluster& cluster) {
  return uneven(cluster.nvlink.gpus_per_bridge, cluster.nvlink.gpus_per_socket, "GPUs of a socket");
}

std::string uneven_sockets(const Cluster& cluster) {
  return uneven(cluster.nvlink.gpus_per_socket, cluster.gpus_per_node, "GPUs of a node");
}

constexpr Rule<Cluster> kClusterRules[] = {
    {"nvlink.kind", {"cluster.gpus_per_node"}, mesh_too_large},
    {"nvlink.gpus_per_bridge", {"nvlink.kind", "nvlink.gpus_per_socket"}, uneven_bridges},
    {"nvlink.gpus_per_socket", {"nvlink.kind", "cluster.gpus_per_node"}, uneven_sockets},
};

}  // namespace

std::span<const Rule<Cluster>> cluster_rules() { return kClusterRules; }

}  // namespace sim
