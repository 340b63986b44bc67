// SPDX-License-Identifier: Apache-2.0
// Fabric: the links of a cluster, and the links that a hop between two GPUs crosses. Ranks are
// numbered node by node: rank = node * gpus_per_node + GPU.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/cluster/cluster.hpp"

namespace sim {

// One hop of a route: `times` shares of a flow's bytes from one GPU to another.
struct Hop {
  std::int32_t source = 0;       // rank
  std::int32_t destination = 0;  // rank
  std::int16_t nic_out = -1;     // NIC of the source's node, or -1: over NVLink inside the node
  std::int16_t nic_in = -1;      // NIC of the destination's node, or -1
  std::int32_t times = 1;

  [[nodiscard]] bool over_network() const { return nic_out >= 0; }
  auto operator<=>(const Hop&) const = default;
};

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

// The first `nodes` nodes of the cluster with the first `gpus` GPUs of each. Throws
// std::logic_error if the cluster has fewer; callers check user input.
[[nodiscard]] Cluster part_of(Cluster cluster, int nodes, int gpus);

// Distance between two nodes: 1 switch between them for `leaf`, 3 for `pod`, 5 for `core`.
enum class Distance { node, leaf, pod, core };
[[nodiscard]] Distance distance(const Cluster& cluster, int node_a, int node_b);

// The hops of a message between two GPUs. On a rail-optimised fabric a message to another rail
// first goes over NVLink to a GPU on that rail (NCCL's PXN), so that it never crosses rails.
[[nodiscard]] std::vector<Hop> path_between(const Cluster& cluster, int source, int destination);

// Latency of one step of a collective over the hop.
[[nodiscard]] Seconds hop_latency(const Cluster& cluster, const Hop& hop);

// Bandwidth that large buffers reach on a NIC or an NVLink port, per direction.
[[nodiscard]] Bandwidth nic_rate(const Cluster& cluster);
[[nodiscard]] Bandwidth nvlink_rate(const Cluster& cluster);
// Sum over all NICs of the cluster.
[[nodiscard]] Bandwidth all_nics_rate(const Cluster& cluster);

using LinkId = std::uint32_t;

// Links with the same role, one or more per node: "nic_in_0" and so on.
struct LinkKind {
  const char* name;
  const char* set_by;  // the key of the cluster's file that sets their capacity
  LinkId first;
};

// Every directed link of a cluster. A switch that cannot be a bottleneck, such as a non-blocking
// core, has no link.
class Links {
 public:
  explicit Links(const Cluster& cluster);

  [[nodiscard]] std::size_t size() const { return capacity_.size(); }
  [[nodiscard]] Bandwidth capacity(LinkId link) const { return capacity_[link]; }
  [[nodiscard]] LinkKind kind(LinkId link) const;
  [[nodiscard]] std::string name(LinkId link) const;
  // Appends the links that one share of the hop crosses.
  void append(const Hop& hop, std::vector<LinkId>& links) const;

 private:
  LinkId add(std::size_t count, Bandwidth capacity);
  void append_core(int from_node, int to_node, int rail, std::vector<LinkId>& links) const;
  [[nodiscard]] LinkId leaf(int node, int rail) const;

  Cluster cluster_;
  std::vector<Bandwidth> capacity_;
  // First link of each kind; the ids of absent kinds are unused.
  LinkId nvlink_out_ = 0, nvlink_in_ = 0, nvlink_pair_ = 0, nic_out_ = 0, nic_in_ = 0;
  LinkId leaf_up_ = 0, leaf_down_ = 0, pod_up_ = 0, pod_down_ = 0;
  bool leaf_shared_ = false, pod_shared_ = false;
};

}  // namespace sim
