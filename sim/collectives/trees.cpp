// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/trees.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

// Of ranks in their group.
class Places {
 public:
  explicit Places(const Visits& nodes) {
    for (const std::vector<int>& members : nodes) {
      ranks_.insert(ranks_.end(), members.begin(), members.end());
    }
    std::ranges::sort(ranks_);
  }

  [[nodiscard]] std::size_t of(int rank) const {
    const auto ahead = static_cast<std::size_t>(rank - ranks_.front());
    if (ahead < ranks_.size() && ranks_[ahead] == rank) return ahead;  // no rank is left out
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }

 private:
  std::vector<int> ranks_;
};

// Over powers of two: the parent of xx01 and of xx11 is xx10, or xx00 where that is out of range.
Parent parent_in_first_tree(int nodes, int node) {
  if (node == 0) return {};
  const int bit = node & -node;
  const int between = (node ^ bit) | (bit << 1);
  const int parent = between < nodes ? between : node ^ bit;
  return {parent, node < parent ? 0 : 1};
}

TreeEdge edge_between(const Cluster& cluster, const Places& places, int child, int parent) {
  TreeEdge edge{places.of(child), places.of(parent), {child, parent}, {parent, child}};
  if (node_of(cluster, child) != node_of(cluster, parent)) {
    const auto nic = static_cast<std::int16_t>(nic_of(cluster, child));
    const auto other =
        cluster.network.fabric->rails ? nic : static_cast<std::int16_t>(nic_of(cluster, parent));
    edge.up.nic_out = edge.down.nic_in = nic;
    edge.up.nic_in = edge.down.nic_out = other;
  }
  return edge;
}

// Parents first.
std::vector<std::size_t> from_the_root(const std::vector<Parent>& parents) {
  std::vector<std::vector<std::size_t>> children(parents.size());
  std::vector<std::size_t> nodes;
  for (std::size_t n = 0; n < parents.size(); ++n) {
    const int parent = parents[n].node;
    (parent < 0 ? nodes : children[static_cast<std::size_t>(parent)]).push_back(n);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& below = children[nodes[i]];
    nodes.insert(nodes.end(), below.begin(), below.end());
  }
  return nodes;
}

Tree tree_over(const Cluster& cluster, const Places& places, const Visits& chains,
               const std::vector<Parent>& parents) {
  Tree tree;
  for (const std::size_t node : from_the_root(parents)) {
    const std::vector<int>& chain = chains[node];
    if (const Parent& above = parents[node]; above.node >= 0) {
      const std::vector<int>& other = chains[static_cast<std::size_t>(above.node)];
      const int joined = other[above.child == 0 && other.size() > 1 ? 1 : 0];
      tree.edges.push_back(edge_between(cluster, places, chain.front(), joined));
    }
    for (std::size_t g = 1; g < chain.size(); ++g) {
      tree.edges.push_back(edge_between(cluster, places, chain[g], chain[g - 1]));
    }
  }
  return tree;
}

// Two for each distinct order of a channel.
std::vector<Tree> trees_over(const Cluster& cluster, std::vector<Visits> channels) {
  const auto nodes = static_cast<int>(channels.front().size());
  const std::vector<Parent> parents[] = {binary_tree(nodes, 0), binary_tree(nodes, 1)};
  std::map<Visits, int> weights;
  for (Visits& chains : channels) ++weights[std::move(chains)];
  std::vector<Tree> trees;
  for (const auto& [chains, weight] : weights) {
    const Places places(chains);
    for (const std::vector<Parent>& of_tree : parents) {
      trees.push_back(tree_over(cluster, places, chains, of_tree));
      trees.back().weight = weight;
    }
  }
  return trees;
}

}  // namespace

std::vector<Parent> binary_tree(int nodes, int tree) {
  std::vector<Parent> parents;
  for (int node = 0; node < nodes; ++node) {
    if (tree == 0) {
      parents.push_back(parent_in_first_tree(nodes, node));
    } else if (nodes % 2 == 0) {
      const Parent mirrored = parent_in_first_tree(nodes, nodes - 1 - node);
      parents.push_back({mirrored.node < 0 ? -1 : nodes - 1 - mirrored.node, mirrored.child});
    } else {
      const Parent shifted = parent_in_first_tree(nodes, (node + nodes - 1) % nodes);
      parents.push_back({shifted.node < 0 ? -1 : (shifted.node + 1) % nodes, shifted.child});
    }
  }
  return parents;
}

std::vector<Tree> double_binary_trees(const Cluster& cluster, const std::vector<int>& ranks) {
  return trees_over(cluster, channel_visits(cluster, ranks, Ends::open));
}

std::vector<Tree> trees_of_heads(const Cluster& cluster, const std::vector<int>& ranks) {
  std::vector<Visits> channels = channel_visits(cluster, ranks, Ends::open);
  for (Visits& chains : channels) {
    for (std::vector<int>& chain : chains) chain.resize(1);
  }
  return trees_over(cluster, std::move(channels));
}

std::vector<Lane> lanes_of(const std::vector<Tree>& trees) {
  std::vector<Lane> lanes;
  for (const Tree& tree : trees) {
    Lane& lane = lanes.emplace_back(Lane{.hops = {}, .weight = tree.weight});
    for (const TreeEdge& edge : tree.edges) {
      lane.hops.push_back(edge.up);
      lane.hops.push_back(edge.down);
    }
  }
  return lanes;
}

}  // namespace sim
