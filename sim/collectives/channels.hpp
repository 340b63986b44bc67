// SPDX-License-Identifier: Apache-2.0
// Channels of a communicator: which NIC and which order of GPUs each one takes. They take the NICs of
// the group's own GPUs in turn, so a group with one GPU per node uses one NIC. On a full mesh the
// channels take different orders, so that every link is used.
#pragma once

#include <functional>
#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim {

// The ranks that one channel visits, in order, node by node.
using Visits = std::vector<std::vector<int>>;

// Whether the last GPU sends to the first one where all are in one node.
enum class Ends { joined, open };

// What each channel over `ranks` (ascending) visits, one after the other, or all.
void for_each_channel(const Cluster& cluster, const std::vector<int>& ranks, Ends ends,
                      const std::function<void(const Visits&)>& visit);
[[nodiscard]] std::vector<Visits> channel_visits(const Cluster& cluster,
                                                 const std::vector<int>& ranks, Ends ends);

// Whether ranks of a node have the places in it that those of another one have.
[[nodiscard]] bool have_same_gpus(const Cluster& cluster, const std::vector<int>& ranks,
                                  const std::vector<int>& others);

// On which the ranks (ascending) lie.
[[nodiscard]] int count_nodes(const Cluster& cluster, const std::vector<int>& ranks);

// Whether each node has the same number of the ranks, behind the same number of NICs. Otherwise
// channels differ, and so do pairs.
[[nodiscard]] bool lie_evenly(const Cluster& cluster, const std::vector<int>& ranks);

}  // namespace sim
