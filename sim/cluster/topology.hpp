// SPDX-License-Identifier: Apache-2.0
// Topology: a cluster with the graph of its links, built once and read by schedules, wiring and
// reports. Between nodes, NICs hang on the network's fabric; inside a node, GPUs on that of NVLink.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/graph.hpp"
#include "sim/cluster/ranks.hpp"

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

class Topology {
 public:
  // A cluster may stand where its topology is asked for; what is called often builds one and keeps
  // it.
  Topology(const Cluster& cluster);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] std::span<const Link> links() const { return graph_.links(); }

  // The hops of a message between two GPUs. On rails a message to another rail first goes over
  // NVLink to a GPU on that rail (NCCL's PXN), so that it never crosses rails.
  [[nodiscard]] std::vector<Hop> path(int source, int destination) const;
  // The links that one share of the hop crosses.
  [[nodiscard]] Way way(const Hop& hop) const;
  // Latency of one step of a collective over the hop.
  [[nodiscard]] Seconds latency(const Hop& hop) const;

 private:
  [[nodiscard]] VertexId nic(int rank, std::int16_t number) const;

  Cluster cluster_;
  Graph graph_;
  VertexId nics_ = 0;  // the first one, after the GPUs
};

}  // namespace sim
