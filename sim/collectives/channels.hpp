// SPDX-License-Identifier: Apache-2.0
// Channels of a communicator: which NIC and which order of GPUs each one takes. They take the NICs of
// the group's own GPUs in turn, so a group with one GPU per node uses one NIC. On a full mesh the
// channels take different orders, so that every link is used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim {

// The ranks that one channel visits, in order, node by node.
using Visits = std::vector<std::vector<int>>;

// Whether the last GPU sends to the first one where all are in one node.
enum class Ends { joined, open };

// The channels over `ranks` (ascending), which must outlive them. A channel visits neighbouring nodes in
// the same order where the same of their GPUs are members.
class Channels {
 public:
  Channels(const Cluster& cluster, const std::vector<int>& ranks, Ends ends);

  [[nodiscard]] std::size_t size() const { return orders_.size(); }
  [[nodiscard]] std::size_t nodes() const { return begins_.size() - 1; }
  // In which a channel visits the n-th node: places among its members.
  using Order = std::vector<int>;
  [[nodiscard]] const Order& order(std::size_t channel, std::size_t n) const {
    return orders_[channel][static_cast<std::size_t>(run_of_[n])];
  }
  // Of each run of such nodes. Channels with the same orders are the same.
  [[nodiscard]] const std::vector<Order>& orders(std::size_t channel) const {
    return orders_[channel];
  }
  [[nodiscard]] int rank(std::size_t n, int place) const {
    return ranks_[begins_[n] + static_cast<std::size_t>(place)];
  }
  [[nodiscard]] Visits visits(std::size_t channel) const;

 private:
  [[nodiscard]] std::span<const int> members(std::size_t n) const {
    return std::span(ranks_).subspan(begins_[n], begins_[n + 1] - begins_[n]);
  }
  void add_run(const Cluster& cluster, std::span<const int> members, bool closed);

  const std::vector<int>& ranks_;
  std::vector<std::size_t> begins_;         // by node, and the end
  std::vector<int> run_of_;                 // by node
  std::vector<std::vector<Order>> orders_;  // by channel and run
};

// What each channel visits.
[[nodiscard]] std::vector<Visits> channel_visits(const Cluster& cluster,
                                                 const std::vector<int>& ranks, Ends ends);

// Whether ranks of a node have the places in it that those of another one have.
[[nodiscard]] bool have_same_gpus(const Cluster& cluster, std::span<const int> ranks,
                                  std::span<const int> others);

// On which the ranks (ascending) lie.
[[nodiscard]] int count_nodes(const Cluster& cluster, const std::vector<int>& ranks);

// Whether each node has the same number of the ranks, behind the same number of NICs. Otherwise
// channels differ, and so do pairs.
[[nodiscard]] bool lie_evenly(const Cluster& cluster, const std::vector<int>& ranks);

}  // namespace sim
