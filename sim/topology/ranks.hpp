// SPDX-License-Identifier: Apache-2.0
// Ranks of a cluster, numbered node by node (rank = node * gpus_per_node + GPU), and the rates of
// their links.
#pragma once

#include "sim/topology/cluster.hpp"

namespace sim {

[[nodiscard]] inline int rank_count(const Cluster& cluster) {
  return cluster.nodes * cluster.gpus_per_node;
}
[[nodiscard]] inline int node_of(const Cluster& cluster, int rank) {
  return rank / cluster.gpus_per_node;
}
[[nodiscard]] inline int gpu_of(const Cluster& cluster, int rank) {
  return rank % cluster.gpus_per_node;
}
[[nodiscard]] int nic_of(const Cluster& cluster, int rank);

// Nodes on the cluster's fabric.
[[nodiscard]] int fabric_nodes(const Cluster& cluster);

// A job of `nodes` nodes of the cluster with the first `gpus` GPUs of each; the fabric stays as it
// is. Throws std::logic_error if the cluster has fewer; callers check user input.
[[nodiscard]] Cluster part_of(Cluster cluster, int nodes, int gpus);

// That share the cores of a host.
[[nodiscard]] int ranks_per_host(const Cluster& cluster);

// Share of a NIC's bandwidth that large buffers reach: `efficiency`, or less where hosts copy every
// byte and the NIC is faster than that.
[[nodiscard]] double network_share(const Network& network);
// Bandwidth that large buffers reach on a NIC or an NVLink port, per direction. A NIC that the host's
// cores feed gets no more than their share for its ranks moves, while all ranks send.
[[nodiscard]] Bandwidth nic_rate(const Cluster& cluster);
[[nodiscard]] Bandwidth nvlink_rate(const Cluster& cluster);
// Whether each pair of a node's GPUs has NVLinks of its own.
[[nodiscard]] bool joins_pairs(const Cluster& cluster);
// Whether a switch joins a node's GPUs by NVLink, which may sum on the way.
[[nodiscard]] bool has_switch(const Nvlink& nvlink);
// Out of a GPU inside its node, over all its NVLinks at once; over one where it is alone there.
[[nodiscard]] Bandwidth gpu_rate(const Cluster& cluster);
// Sum over all NICs of the cluster.
[[nodiscard]] Bandwidth all_nics_rate(const Cluster& cluster);

}  // namespace sim
