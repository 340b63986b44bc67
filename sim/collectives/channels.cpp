// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/channels.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

using Orders = std::vector<Channels::Order>;

// Paths of which each starts at another GPU, and that together use every link of a full mesh once:
// zig-zags 0, 1, -1, 2, -2, ... around an even number of GPUs.
Orders zigzags(int members) {
  Orders paths;
  for (int start = 0; start < members; ++start) {
    Channels::Order& path = paths.emplace_back();
    for (int i = 0; i < members; ++i) {
      const int step = i % 2 == 1 ? (i + 1) / 2 : -(i / 2);
      path.push_back((start + step + members) % members);
    }
  }
  return paths;
}

// Rings from the first GPU that do the same, found by trying. Four GPUs have none.
class EvenRings {
 public:
  explicit EvenRings(int members)
      : members_(members), used_(static_cast<std::size_t>(members * members)) {
    rings_.assign(static_cast<std::size_t>(members - 1), {0});
    if (!extend(0)) rings_.clear();
  }
  [[nodiscard]] const Orders& rings() const { return rings_; }

 private:
  // The k-th ring and those after it, by links that are free.
  bool extend(std::size_t k) {
    if (k == rings_.size()) return true;
    const int last = rings_[k].back();
    if (rings_[k].size() == static_cast<std::size_t>(members_)) {
      return try_link(last, 0, [&] { return extend(k + 1); });
    }
    for (int next = 1; next < members_; ++next) {
      if (std::ranges::find(rings_[k], next) != rings_[k].end()) continue;
      rings_[k].push_back(next);
      if (try_link(last, next, [&] { return extend(k); })) return true;
      rings_[k].pop_back();
    }
    return false;
  }
  template <class Rest>
  bool try_link(int from, int to, const Rest& rest) {
    constexpr int kMostTries = 100'000;
    const auto link = static_cast<std::size_t>(from * members_ + to);
    if (used_[link] || ++tries_ > kMostTries) return false;
    used_[link] = true;
    if (rest()) return true;
    used_[link] = false;
    return false;
  }

  int members_;
  int tries_ = 0;
  std::vector<bool> used_;
  Orders rings_;
};

// As even as those of RCCL on MI300X (ROCm/rccl @0cbce2a7, src/graph/rome_models.cc, 79 and 81); none
// if there are no such orders.
Orders even_orders(int members, bool closed) {
  if (closed) return EvenRings(members).rings();
  return members % 2 == 0 ? zigzags(members) : Orders{};
}

// Uses of the busiest link of a mesh.
int worst_load(const Orders& orders, bool closed) {
  std::map<std::pair<int, int>, int> uses;
  int worst = 0;
  for (const Channels::Order& order : orders) {
    for (std::size_t i = 0; i + (closed ? 0 : 1) < order.size(); ++i) {
      worst = std::max(worst, ++uses[{order[i], order[(i + 1) % order.size()]}]);
    }
  }
  return worst;
}

// The same number of orders from the same GPUs, as even as they can be; those given if they are.
Orders evened(Orders orders, bool closed) {
  const std::size_t members = orders.front().size();
  const std::size_t links = members * (members - 1);
  const std::size_t hops = orders.size() * (closed ? members : members - 1);
  const int worst = worst_load(orders, closed);
  if (members < 3 || worst <= static_cast<int>((hops + links - 1) / links)) return orders;
  const Orders even = even_orders(static_cast<int>(members), closed);
  if (even.empty()) return orders;
  Orders others;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const std::size_t place =
        closed ? i % even.size() : static_cast<std::size_t>(orders[i].front());
    others.push_back(even[place]);
  }
  return worst_load(others, closed) < worst ? others : orders;
}

// Orders in which a channel visits the GPUs of a node, starting with `first`. Through a switch all
// orders load the links alike; on a full mesh the order whose links are used least so far is taken,
// as NCCL's search does.
class NodeOrders {
 public:
  NodeOrders(bool mesh, int members, bool closed)
      : mesh_(mesh),
        members_(members),
        closed_(closed),
        used_(mesh ? static_cast<std::size_t>(members * members) : 0) {}

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

// Indices of GPUs of a node by the NIC that they share.
std::vector<std::vector<int>> sharers_of_nics(const Cluster& cluster,
                                              std::span<const int> members) {
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

Channels::Channels(const Cluster& cluster, const std::vector<int>& ranks, Ends ends)
    : ranks_(ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i == 0 || node_of(cluster, ranks[i - 1]) != node_of(cluster, ranks[i]))
      begins_.push_back(i);
  }
  begins_.push_back(ranks.size());
  const bool closed = ends == Ends::joined && nodes() == 1;
  orders_.resize(static_cast<std::size_t>(cluster.collectives.channels));
  for (std::size_t n = 0; n < nodes(); ++n) {
    const std::span<const int> members = this->members(n);
    if (n == 0 || !have_same_gpus(cluster, this->members(n - 1), members)) {
      add_run(cluster, members, closed);
    }
    run_of_.push_back(static_cast<int>(orders_.front().size()) - 1);
  }
}

void Channels::add_run(const Cluster& cluster, std::span<const int> members, bool closed) {
  const auto sharers = sharers_of_nics(cluster, members);
  NodeOrders orders(joins_pairs(cluster), static_cast<int>(members.size()), closed);
  Orders taken;
  for (std::size_t channel = 0; channel < orders_.size(); ++channel) {
    const int first = closed ? 0 : first_member(sharers, static_cast<int>(channel));
    taken.push_back(orders.take(first));
  }
  if (joins_pairs(cluster)) taken = evened(std::move(taken), closed);
  for (std::size_t channel = 0; channel < orders_.size(); ++channel) {
    orders_[channel].push_back(std::move(taken[channel]));
  }
}

Visits Channels::visits(std::size_t channel) const {
  Visits visits;
  for (std::size_t n = 0; n < nodes(); ++n) {
    std::vector<int>& of_node = visits.emplace_back();
    for (const int member : order(channel, n)) of_node.push_back(rank(n, member));
  }
  return visits;
}

std::vector<Visits> channel_visits(const Cluster& cluster, const std::vector<int>& ranks,
                                   Ends ends) {
  const Channels channels(cluster, ranks, ends);
  std::vector<Visits> all;
  for (std::size_t i = 0; i < channels.size(); ++i) all.push_back(channels.visits(i));
  return all;
}

int count_nodes(const Cluster& cluster, const std::vector<int>& ranks) {
  int nodes = 1;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (node_of(cluster, ranks[i]) != node_of(cluster, ranks[i - 1])) ++nodes;
  }
  return nodes;
}

bool have_same_gpus(const Cluster& cluster, std::span<const int> ranks,
                    std::span<const int> others) {
  return std::ranges::equal(ranks, others, [&](int rank, int other) {
    return gpu_of(cluster, rank) == gpu_of(cluster, other);
  });
}

bool lie_evenly(const Cluster& cluster, const std::vector<int>& ranks) {
  std::vector<int> of_nic(static_cast<std::size_t>(cluster.network.nics_per_node));
  std::vector<int> kind, first_kind;  // of a node: how many of the ranks have each of its NICs
  for (std::size_t i = 0; i < ranks.size();) {
    const int node = node_of(cluster, ranks[i]);
    std::ranges::fill(of_nic, 0);
    for (; i < ranks.size() && node_of(cluster, ranks[i]) == node; ++i) {
      ++of_nic[static_cast<std::size_t>(nic_of(cluster, ranks[i]))];
    }
    kind = of_nic;
    std::ranges::sort(kind);
    if (first_kind.empty()) first_kind = kind;
    if (kind != first_kind) return false;
  }
  return true;
}

}  // namespace sim
