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

// Sizes in nodes of the units, innermost first, whose links to the outside can be a bottleneck.
// Peers count as equally far when a message to them leaves as many such units: where the core
// cannot be a bottleneck all other nodes are one class.
std::vector<int> tapered_units(const Cluster& cluster) {
  const Network& network = cluster.network;
  if (network.fabric == Network::Fabric::single_switch) return {};
  std::vector<int> units;
  const bool pods = network.fabric == Network::Fabric::fat_tree_3level;
  if (network.oversubscription > 1) units.push_back(network.nodes_per_leaf);
  if (pods && network.pod_oversubscription > 1) {
    units.push_back(network.nodes_per_leaf * network.leaves_per_pod);
  }
  return units;
}

// How many of the units a message between the nodes leaves.
std::size_t units_left(const std::vector<int>& units, int node, int other) {
  std::size_t left = 0;
  while (left < units.size() && node / units[left] != other / units[left]) ++left;
  return left;
}

// Nodes of the smallest block in which peers of a class are counted, and of the one that holds all.
struct Blocks {
  int small = 1;
  int large = 1;
};

Blocks blocks_of(const Cluster& cluster, const std::vector<int>& units, std::size_t units_left) {
  const int small = units_left == 0 ? 1 : units[units_left - 1];
  const int large = units_left == units.size() ? cluster.nodes : units[units_left];
  return {small, std::max(small, large)};
}

// The node at the same place in the next small block inside the large block around `node`; -1
// unless the group has as many nodes in every one of these small blocks, and as many ranks there.
int partner_of(const Nodes& nodes, int node, Blocks blocks) {
  const auto [small, large] = blocks;
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

using PeerClasses = std::map<std::size_t, PeerClass>;  // by units left

PeerClasses peer_classes(const Cluster& cluster, const Nodes& nodes, int node) {
  const std::vector<int> units = tapered_units(cluster);
  PeerClasses classes;
  for (const auto& [other, members] : nodes) {
    if (other == node) continue;
    PeerClass& peers = classes[units_left(units, node, other)];
    ++peers.peers;
    peers.targets.push_back(other);
  }
  for (auto& [far, peers] : classes) {
    const int partner = partner_of(nodes, node, blocks_of(cluster, units, far));
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
  std::map<int, PeerClasses> classes;
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
      const int factor = std::max(1, static_cast<int>(std::lround(stands_for / peers_per_share)));
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
