// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/trees.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/link_loads.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

// Over powers of two: the parent of xx01 and of xx11 is xx10, or xx00 where that is out of range.
Parent parent_in_first_tree(int nodes, int node) {
  if (node == 0) return {};
  const int bit = node & -node;
  const int between = (node ^ bit) | (bit << 1);
  const int parent = between < nodes ? between : node ^ bit;
  return {parent, node < parent ? 0 : 1};
}

TreeEdge edge_between(const Cluster& cluster, const std::vector<int>& ranks, int child,
                      int parent) {
  const auto place = [&](int rank) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
  };
  TreeEdge edge{place(child), place(parent), {child, parent}, {parent, child}};
  if (node_of(cluster, child) != node_of(cluster, parent)) {
    const auto nic = static_cast<std::int16_t>(nic_of(cluster, child));
    const auto other =
        cluster.network.fabric->rails ? nic : static_cast<std::int16_t>(nic_of(cluster, parent));
    edge.up.nic_out = edge.down.nic_in = nic;
    edge.up.nic_in = edge.down.nic_out = other;
  }
  return edge;
}

Tree tree_over(const Cluster& cluster, const std::vector<int>& ranks, const Visits& chains,
               const std::vector<Parent>& parents) {
  Tree tree;
  std::vector<std::size_t> nodes;  // parents first
  for (std::size_t n = 0; n < parents.size(); ++n) {
    if (parents[n].node < 0) nodes.push_back(n);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<int>& chain = chains[nodes[i]];
    if (const Parent& above = parents[nodes[i]]; above.node >= 0) {
      const std::vector<int>& other = chains[static_cast<std::size_t>(above.node)];
      const int joined = other[above.child == 0 && other.size() > 1 ? 1 : 0];
      tree.edges.push_back(edge_between(cluster, ranks, chain.front(), joined));
    }
    for (std::size_t g = 1; g < chain.size(); ++g) {
      tree.edges.push_back(edge_between(cluster, ranks, chain[g], chain[g - 1]));
    }
    for (std::size_t n = 0; n < parents.size(); ++n) {
      if (parents[n].node == static_cast<int>(nodes[i])) nodes.push_back(n);
    }
  }
  return tree;
}

// Two for each distinct order of a channel.
std::vector<Tree> trees_over(const Cluster& cluster, std::vector<Visits> channels) {
  std::map<Visits, int> weights;
  for (Visits& chains : channels) ++weights[std::move(chains)];
  std::vector<Tree> trees;
  for (const auto& [chains, weight] : weights) {
    std::vector<int> ranks;
    for (const std::vector<int>& chain : chains)
      ranks.insert(ranks.end(), chain.begin(), chain.end());
    std::ranges::sort(ranks);
    for (const int number : {0, 1}) {
      const auto parents = binary_tree(static_cast<int>(chains.size()), number);
      trees.push_back(tree_over(cluster, ranks, chains, parents));
      trees.back().weight = weight;
    }
  }
  return trees;
}

// Hops from each rank down to the deepest one below it.
std::vector<std::size_t> heights_of(const Tree& tree) {
  std::vector<std::size_t> heights(tree.edges.size() + 1);
  for (auto edge = tree.edges.rbegin(); edge != tree.edges.rend(); ++edge) {
    heights[edge->parent] = std::max(heights[edge->parent], heights[edge->child] + 1);
  }
  return heights;
}

// Sums of `of_edge` from the root to each rank.
template <class Value, class OfEdge>
std::vector<Value> sums_from_root(const Tree& tree, OfEdge of_edge) {
  std::vector<Value> sums(tree.edges.size() + 1);
  for (const TreeEdge& edge : tree.edges) sums[edge.child] = sums[edge.parent] + of_edge(edge);
  return sums;
}

std::vector<std::size_t> depths_of(const Tree& tree) {
  return sums_from_root<std::size_t>(tree, [](const TreeEdge&) { return std::size_t{1}; });
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

double fill_latency(const Topology& topology, const Paces& paces, const std::vector<Tree>& trees,
                    Protocol protocol) {
  double longest = 0;
  for (const Tree& tree : trees) {
    const auto latencies = sums_from_root<double>(tree, [&](const TreeEdge& edge) {
      return step_latency(topology, paces, edge.up, protocol) +
             step_latency(topology, paces, edge.down, protocol);
    });
    longest = std::max(longest, std::ranges::max(latencies));
  }
  return longest;
}

double fill_s_per_byte(const Topology& topology, const std::vector<Tree>& trees) {
  struct Levels {
    std::vector<std::size_t> heights, depths;
  };
  std::vector<Levels> levels;  // by tree
  // Parts of the buffer on each link, in all and while a wave of chunks passes a level of the trees.
  LinkLoads all(topology);
  std::map<std::size_t, LinkLoads> up, down;
  const auto at_level = [&](std::map<std::size_t, LinkLoads>& waves, std::size_t level) {
    return waves.try_emplace(level, topology).first;
  };
  for (const Tree& tree : trees) {
    const auto& [heights, depths] = levels.emplace_back(Levels{heights_of(tree), depths_of(tree)});
    for (const TreeEdge& edge : tree.edges) {
      at_level(up, heights[edge.child])->second.add(edge.up, tree.weight);
      at_level(down, depths[edge.child])->second.add(edge.down, tree.weight);
      all.add(edge.up, tree.weight);
      all.add(edge.down, tree.weight);
    }
  }
  double longest = 0;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const auto times = sums_from_root<double>(trees[i], [&](const TreeEdge& edge) {
      return up.at(levels[i].heights[edge.child]).seconds(edge.up) +
             down.at(levels[i].depths[edge.child]).seconds(edge.down);
    });
    longest = std::max(longest, std::ranges::max(times));
  }
  return std::max(0.0, longest - all.seconds());
}

}  // namespace sim
