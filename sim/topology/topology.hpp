// SPDX-License-Identifier: Apache-2.0
// Topology: a cluster with the graph of its links, built once and read by schedules, wiring and
// reports. Between nodes, NICs hang on the network's fabric; inside a node, GPUs on that of NVLink.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/graph.hpp"
#include "sim/topology/hop.hpp"
#include "sim/topology/ranks.hpp"

namespace sim {

class Topology {
 public:
  // A cluster may stand where its topology is asked for; what is called often builds one and keeps
  // it.
  Topology(const Cluster& cluster);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const Links& links() const { return graph_->links(); }

  // Where a node lies on the fabric, and how many nodes it has there.
  [[nodiscard]] int place_of(int node) const { return places_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] int fabric_nodes() const { return fabric_nodes_; }

  // Of everything but the rates of links.
  [[nodiscard]] std::uint64_t fingerprint() const;

  // The same links, on which messages find their way otherwise.
  [[nodiscard]] Topology with(Routing routing) const;

  // The hops of a message between two GPUs. Where the fabric relays, a message to another rail
  // first goes over NVLink to a GPU on that rail (NCCL's PXN), so that it never crosses rails.
  [[nodiscard]] std::vector<Hop> path(int source, int destination) const;
  // The hops of a sum over the ranks' NICs in the network's switches, which are a tree: each switch
  // passes on one sum, whichever NIC's hop that is part of.
  [[nodiscard]] std::vector<Hop> tree_of_sums(const std::vector<int>& ranks) const;
  // The links between two NICs of the fabric.
  struct NicWay {
    int from = 0, to = 0;  // place * nics_per_node + NIC
    int connection = 0;
    bool detours = false;
  };
  [[nodiscard]] Way way_between(const NicWay& nics) const;
  // The links that one share of the hop crosses; in a way that is there already, without allocating.
  [[nodiscard]] Way way(const Hop& hop) const;
  void find(const Hop& hop, Way& way) const;
  // Latency of one step of a collective over the hop.
  [[nodiscard]] Seconds latency(const Hop& hop) const;
  // The same over the network, of a hop whose way is known.
  [[nodiscard]] Seconds latency_over(const Way& network_way) const;

 private:
  [[nodiscard]] int nic(int rank, std::int16_t number) const;  // of the fabric
  [[nodiscard]] VertexId nic_vertex(int rank, std::int16_t number) const;
  void append_between(const NicWay& nics, Way& way) const;
  void append_up_and_down(const Hop& hop, Way& way) const;
  // Of a GPU whose NIC is on another socket; kNoLimit for others.
  [[nodiscard]] LinkId far_link(int rank, LinkId first) const;

  Cluster cluster_;
  std::vector<int> places_;  // by node
  int fabric_nodes_ = 0;     // as far as the last one in use
  std::shared_ptr<const Graph> graph_;
  VertexId nics_ = 0;                // the first one, after the GPUs
  LinkId far_out_ = 0, far_in_ = 0;  // the first ones, node by node
};

}  // namespace sim
