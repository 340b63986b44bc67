// SPDX-License-Identifier: Apache-2.0
// Double binary trees, as NCCL builds them (src/graph/trees.cc and connect.cc): each channel has two
// trees over the nodes, and each tree carries half of the channel's bytes. A node inside one tree is
// a leaf of the other one (but for a node or two), so that every node sends and receives alike:
//
//   tree 0 of 8 nodes:  0 ─► 4 ─► (2 ─► (1, 3), 6 ─► (5, 7))
//   tree 1:             7 ─► 3 ─► (5 ─► (6, 4), 1 ─► (2, 0))
//
// The GPUs of a node form a chain. Its first GPU joins the parent node and the node's second child,
// its second GPU the first child (NCCL's balanced tree).
#pragma once

#include <vector>

#include "sim/collectives/legs.hpp"

namespace sim {

// The parent of a node in a tree, and which child of it the node is.
struct Parent {
  int node = -1;  // of the root
  int child = 0;
};
// By node. Tree 1 mirrors tree 0 over an even number of nodes, and shifts it by one node otherwise.
[[nodiscard]] std::vector<Parent> binary_tree(int nodes, int tree);

// The edge from a rank to its parent, by places in the group.
struct TreeEdge {
  std::size_t child = 0, parent = 0;
  Hop up, down;
};
struct Tree {
  std::vector<TreeEdge> edges;  // a rank's edge stands before those of its children
  int weight = 1;               // equal trees, of different channels
};
// Distinct trees over `ranks` (ascending), their weights summing to twice the cluster's channels.
[[nodiscard]] std::vector<Tree> double_binary_trees(const Cluster& cluster,
                                                    const std::vector<int>& ranks);
// The same over one GPU of each node, that behind the channel's NIC.
[[nodiscard]] std::vector<Tree> trees_of_heads(const Cluster& cluster,
                                               const std::vector<int>& ranks);
// All hops of each tree.
[[nodiscard]] std::vector<Lane> lanes_of(const std::vector<Tree>& trees);

}  // namespace sim
