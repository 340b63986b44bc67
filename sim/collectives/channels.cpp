// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/channels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

// Orders in which a channel visits the GPUs of a node, starting with `first`. Through a switch all
// orders load the links alike; on a full mesh the order whose links are used least so far is taken,
// as NCCL's search does.
class NodeOrders {
 public:
  NodeOrders(bool mesh, int members, bool closed)
      : mesh_(mesh),
        members_(members),
        closed_(closed),
        used_(static_cast<std::size_t>(members * members)) {}

  std::vector<int> take(int first) {
    std::vector<int> order(static_cast<std::size_t>(members_));
    for (int i = 0; i < members_; ++i) order[static_cast<std::size_t>(i)] = (first + i) % members_;
    if (!mesh_) return order;
    std::sort(order.begin() + 1, order.end());
    std::vector<int> best = order;
    for (auto best_load = load(order); std::next_permutation(order.begin() + 1, order.end());) {
      if (const auto candidate = load(order); candidate < best_load) {
        best_load = candidate;
        best = order;
      }
    }
    for_each_link(best, [&](int& used) { ++used; });
    return best;
  }

 private:
  template <class Visit>
  void for_each_link(const std::vector<int>& order, Visit visit) {
    for (std::size_t i = 0; i + (closed_ ? 0 : 1) < order.size(); ++i) {
      const int to = order[(i + 1) % order.size()];
      visit(used_[static_cast<std::size_t>(order[i] * members_ + to)]);
    }
  }
  // Most used link first, then the sum: what taking the order would lead to.
  std::pair<int, int> load(const std::vector<int>& order) {
    std::pair<int, int> worst{0, 0};
    for_each_link(order, [&](int& used) {
      worst.first = std::max(worst.first, used);
      worst.second += used;
    });
    return worst;
  }

  bool mesh_;
  int members_;
  bool closed_;
  std::vector<int> used_;
};

Visits by_node(const Cluster& cluster, const std::vector<int>& ranks) {
  Visits nodes;
  for (const int rank : ranks) {
    if (nodes.empty() || node_of(cluster, nodes.back().front()) != node_of(cluster, rank)) {
      nodes.emplace_back();
    }
    nodes.back().push_back(rank);
  }
  return nodes;
}

// Indices of GPUs of a node by the NIC that they share.
std::vector<std::vector<int>> sharers_of_nics(const Cluster& cluster,
                                              const std::vector<int>& members) {
  std::map<int, std::vector<int>> by_nic;
  for (std::size_t i = 0; i < members.size(); ++i) {
    by_nic[nic_of(cluster, members[i])].push_back(static_cast<int>(i));
  }
  std::vector<std::vector<int>> sharers;
  for (auto& [nic, indices] : by_nic) sharers.push_back(std::move(indices));
  return sharers;
}

// That of the channel's first GPU: the channels take the NICs in turn, and the GPUs that share a NIC
// in turn.
int first_member(const std::vector<std::vector<int>>& sharers, int channel) {
  const auto nics = static_cast<int>(sharers.size());
  const auto& one = sharers[static_cast<std::size_t>(channel % nics)];
  return one[static_cast<std::size_t>(channel / nics) % one.size()];
}

}  // namespace

std::vector<Visits> channel_visits(const Cluster& cluster, const std::vector<int>& ranks,
                                   Ends ends) {
  const Visits nodes = by_node(cluster, ranks);
  const bool closed = ends == Ends::joined && nodes.size() == 1;
  std::vector<NodeOrders> orders;
  std::vector<std::vector<std::vector<int>>> sharers;  // by node
  for (const auto& members : nodes) {
    sharers.push_back(sharers_of_nics(cluster, members));
    orders.emplace_back(joins_pairs(cluster), static_cast<int>(members.size()), closed);
  }
  std::vector<Visits> channels;
  for (int channel = 0; channel < cluster.collectives.channels; ++channel) {
    Visits& visits = channels.emplace_back();
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const int first = closed ? 0 : first_member(sharers[n], channel);
      auto& order = visits.emplace_back(orders[n].take(first));
      for (int& member : order) member = nodes[n][static_cast<std::size_t>(member)];
    }
  }
  return channels;
}

int count_nodes(const Cluster& cluster, const std::vector<int>& ranks) {
  int nodes = 1;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (node_of(cluster, ranks[i]) != node_of(cluster, ranks[i - 1])) ++nodes;
  }
  return nodes;
}

bool lie_evenly(const Cluster& cluster, const std::vector<int>& ranks) {
  std::map<int, std::map<int, int>> ranks_of_nic;  // by node
  for (const int rank : ranks) ++ranks_of_nic[node_of(cluster, rank)][nic_of(cluster, rank)];
  std::set<std::multiset<int>> kinds;  // of nodes
  for (const auto& [node, nics] : ranks_of_nic) {
    std::multiset<int> kind;
    for (const auto& [nic, count] : nics) kind.insert(count);
    kinds.insert(std::move(kind));
  }
  return kinds.size() < 2;
}

}  // namespace sim
