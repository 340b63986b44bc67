#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sim/schedule/legs.hpp"

namespace sim {
namespace {

using Nodes = std::map<int, std::vector<int>>;  // the group's ranks by node

// Shares of the largest class of a folded all_to_all. More would keep small classes' shares nearer
// to their peers' number, and make routes longer: with 16 the fold stays within 1 % of all pairs.
constexpr double kSharesOfLargestClass = 16;

Nodes members_by_node(const Cluster& cluster, const std::vector<int>& ranks) {
  Nodes nodes;
  for (const int rank : ranks) nodes[node_of(cluster, rank)].push_back(rank);
  return nodes;
}

struct PeerClass {
  int peers = 0;
  std::vector<int> targets;  // the partner that stands for all, or every peer
};

// Nodes of the smallest unit in which peers at this distance are counted, and of the unit that
// holds them all.
std::pair<int, int> blocks_of(const Cluster& cluster, Distance far) {
  const Network& network = cluster.network;
  const bool flat = network.fabric == Network::Fabric::single_switch;
  const int leaf = flat ? cluster.nodes : network.nodes_per_leaf;
  const int pod = network.fabric == Network::Fabric::fat_tree_3level
                      ? leaf * network.leaves_per_pod
                      : std::max(cluster.nodes, leaf);
  if (far == Distance::leaf) return {1, leaf};
  if (far == Distance::pod) return {leaf, pod};
  return {pod, std::max(cluster.nodes, pod)};
}

// The node at the same place in the next small block inside the large block around `node`; -1
// unless the group has as many nodes in every one of these small blocks, and as many ranks there.
int partner_of(const Cluster& cluster, const Nodes& nodes, int node, Distance far) {
  const auto [small, large] = blocks_of(cluster, far);
  const int first = node / large * large;
  const auto begin = nodes.lower_bound(first);
  const auto end = nodes.lower_bound(first + large);
  std::map<int, int> counts;
  for (auto it = begin; it != end; ++it) ++counts[it->first / small];
  const int stride = counts.begin()->second;
  for (const auto& [block, count] : counts) {
    if (count != stride) return -1;
  }
  const auto here = std::distance(begin, nodes.find(node));
  const auto partner = std::next(begin, (here + stride) % std::distance(begin, end));
  return partner->second.size() == nodes.at(node).size() ? partner->first : -1;
}

std::map<Distance, PeerClass> peer_classes(const Cluster& cluster, const Nodes& nodes, int node) {
  std::map<Distance, PeerClass> classes;
  for (const auto& [other, members] : nodes) {
    if (other == node) continue;
    PeerClass& peers = classes[distance(cluster, node, other)];
    ++peers.peers;
    peers.targets.push_back(other);
  }
  for (auto& [far, peers] : classes) {
    const int partner = partner_of(cluster, nodes, node, far);
    if (partner >= 0) peers.targets = {partner};
  }
  return classes;
}

// Counts `hop` once more.
void add_share(std::map<Hop, int>& shares, Hop hop) {
  hop.times = 1;
  ++shares[hop];
}

std::vector<Hop> with_times(const std::map<Hop, int>& shares, int factor) {
  std::vector<Hop> hops;
  for (const auto& [hop, times] : shares) {
    hops.push_back(hop);
    hops.back().times = times * factor;
  }
  return hops;
}

// One byte from each GPU of `from` to each of `to`.
void add_pairs(const Cluster& cluster, const std::vector<int>& from, const std::vector<int>& to,
               std::map<Hop, int>& shares) {
  for (const int source : from) {
    for (const int destination : to) {
      if (source == destination) continue;
      for (const Hop& hop : path_between(cluster, source, destination)) add_share(shares, hop);
    }
  }
}

}  // namespace

std::vector<LegDraft> fold_all_to_all(const Cluster& cluster, const std::vector<int>& ranks) {
  const Nodes nodes = members_by_node(cluster, ranks);
  std::map<int, std::map<Distance, PeerClass>> classes;
  int largest = 1;
  bool permuted = true;  // every class has a partner; else shares must count peers one by one
  for (const auto& [node, members] : nodes) {
    classes[node] = peer_classes(cluster, nodes, node);
    for (const auto& [far, peers] : classes[node]) {
      largest = std::max(largest, peers.peers);
      permuted = permuted && (peers.targets.size() == 1 || peers.peers == 1);
    }
  }
  const double peers_per_share = permuted ? std::max(1.0, largest / kSharesOfLargestClass) : 1;

  std::vector<LegDraft> legs;
  for (const auto& [node, members] : nodes) {
    if (members.size() > 1) {
      std::map<Hop, int> inside;
      add_pairs(cluster, members, members, inside);
      legs.push_back({.senders = members, .hops = with_times(inside, 1)});
    }
    for (const auto& [far, peers] : classes[node]) {
      std::map<Hop, int> shares;
      for (const int target : peers.targets) add_pairs(cluster, members, nodes.at(target), shares);
      const int stands_for = peers.peers / static_cast<int>(peers.targets.size());
      const int factor =
          std::max(1, static_cast<int>(std::lround(stands_for / peers_per_share)));
      legs.push_back({.senders = members,
                      .hops = with_times(shares, factor),
                      .unit = static_cast<double>(stands_for) / factor});
    }
  }
  return legs;
}

std::vector<LegDraft> list_pairs(const Cluster& cluster, const std::vector<int>& ranks) {
  std::vector<LegDraft> legs;
  for (const int source : ranks) {
    for (const int destination : ranks) {
      if (source == destination) continue;
      legs.push_back({.senders = {source},
                      .hops = path_between(cluster, source, destination),
                      .channel_share = 1.0 / static_cast<double>(ranks.size() - 1)});
    }
  }
  return legs;
}

}  // namespace sim
