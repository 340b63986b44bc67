// SPDX-License-Identifier: Apache-2.0
// Which algorithm and protocol NCCL takes for a collective: the one whose time its tuner expects to
// be least, by constants of its version and the channels that its search finds (NVIDIA/nccl,
// src/graph/tuning.cc and src/enqueue.cc at the versions' tags). NCCL decides by these times;
// collectives take others.
#pragma once

#include <array>
#include <optional>

#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/nccl/algorithm.hpp"
#include "sim/topology/nccl_version.hpp"

namespace sim::nccl {

// How a GPU reaches its peers or its NIC, from near to far (PATH_* of src/graph/topo.h).
enum class Path { nvlink, pcie_switch, other_gpu, host_bridge };

// Channels that the search finds for an algorithm.
struct Graph {
  int channels = 0;                          // 0: none
  double inside_GBps = 0, between_GBps = 0;  // of each, inside nodes and between them
  Path inside = Path::nvlink, between = Path::pcie_switch;
  bool chain = false;  // of a tree: its GPU that receives also sends
  bool operator==(const Graph&) const = default;
};

// A communicator.
struct Group {
  int ranks = 1, nodes = 1;
  int compute_capability = 0;  // 90: Hopper
  Processor processor = Processor::intel;
  int channels = 1;  // of rings and trees, duplicates included
  std::array<Graph, kAlgorithms> graphs = {};
  bool operator==(const Group&) const = default;

  [[nodiscard]] const Graph& graph(Algorithm algorithm) const {
    return graphs[static_cast<std::size_t>(algorithm)];
  }
};

// What decides for a communicator.
struct Tuner {
  NcclVersion version;
  Group group;
  bool operator==(const Tuner&) const = default;
};

struct Cost {
  double latency_us = 0;
  double GBps = 0;  // bytes of the whole buffer over the rest of the time
};
// Whether the tuner chooses how the collective runs: of pairs' messages it does not.
[[nodiscard]] bool chooses(CollectiveKind collective);

// Of an all_reduce, an all_gather, a reduce_scatter or a broadcast; nothing where NCCL does not take
// the algorithm by the protocol.
[[nodiscard]] std::optional<Cost> cost(const Tuner& tuner, CollectiveKind collective,
                                       Algorithm algorithm, Protocol protocol);

// What the tuner expects for a whole buffer of so many bytes.
[[nodiscard]] std::optional<double> expected_us(const Tuner& tuner, CollectiveKind collective,
                                                Algorithm algorithm, Protocol protocol,
                                                double bytes);

// Channels that a ring or trees take for so many bytes: fewer than there are where each would get
// little (src/enqueue.cc).
[[nodiscard]] int channels_taken(const Group& group, Algorithm algorithm, Protocol protocol,
                                 double bytes);

}  // namespace sim::nccl
