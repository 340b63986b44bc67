// SPDX-License-Identifier: Apache-2.0
// The double binary tree: laws of its trees over any number of nodes, its bytes, and its time in
// closed form and step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>

#include "sim/base/error.hpp"
#include "sim/collectives/trees.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

constexpr double kTreeNic = 50e9;
constexpr double kTreesReach = 0.8;  // of the bandwidth of rings
constexpr double kTreeNicLatency = 5e-6;
constexpr double kTreeLaunch = 10e-6;

int depth_of(const std::vector<Parent>& tree, int node) {
  int depth = 0;
  while (tree[static_cast<std::size_t>(node)].node >= 0) {
    node = tree[static_cast<std::size_t>(node)].node;
    if (++depth > 64) break;  // a circle
  }
  return depth;
}

std::vector<int> children_of(const std::vector<Parent>& tree) {
  std::vector<int> children(tree.size());
  for (const Parent& parent : tree) {
    if (parent.node >= 0) ++children[static_cast<std::size_t>(parent.node)];
  }
  return children;
}

Cluster on_trees(Cluster cluster) {
  cluster.collectives.algorithm = &algorithms::tree;
  return cluster;
}

double seconds(const Cluster& cluster, double bytes, Detail detail) {
  const Schedule schedule =
      schedule_of(collective_named("all_reduce"), cluster, all_ranks(cluster), bytes, detail);
  return simulate(schedule, cluster).makespan_s;
}

TEST(BinaryTree, OfEightNodesAndItsMirrorAreNccls) {
  const auto parents = [](int tree) {
    std::vector<int> nodes;
    for (const Parent& parent : binary_tree(8, tree)) nodes.push_back(parent.node);
    return nodes;
  };
  EXPECT_EQ(parents(0), (std::vector{-1, 2, 4, 2, 0, 6, 4, 6}));
  EXPECT_EQ(parents(1), (std::vector{1, 3, 1, 7, 5, 3, 5, -1}));
}

TEST(BinaryTree, OfFiveNodesIsShifted) {
  const auto first = binary_tree(5, 0);
  const auto second = binary_tree(5, 1);
  for (std::size_t node = 0; node < 5; ++node) {
    const Parent& shifted = second[(node + 1) % 5];
    const int expected = first[node].node < 0 ? -1 : (first[node].node + 1) % 5;
    EXPECT_EQ(shifted.node, expected);
    EXPECT_EQ(shifted.child, first[node].child);
  }
}

TEST(BinaryTree, ReachesEveryNodeInLogarithmicDepthWithTwoChildrenAtMost) {
  for (int nodes = 1; nodes <= 200; ++nodes) {
    for (const int number : {0, 1}) {
      const auto tree = binary_tree(nodes, number);
      SCOPED_TRACE(testing::Message() << "tree " << number << " of " << nodes);
      ASSERT_EQ(std::ranges::count(tree, -1, &Parent::node), 1);
      std::set<std::pair<int, int>> places;
      for (int node = 0; node < nodes; ++node) {
        EXPECT_LE(depth_of(tree, node), std::bit_width(static_cast<unsigned>(nodes)));
        const Parent& parent = tree[static_cast<std::size_t>(node)];
        if (parent.node >= 0) {
          EXPECT_TRUE(places.emplace(parent.node, parent.child).second);
        }
      }
      EXPECT_LE(std::ranges::max(children_of(tree)), 2);
    }
  }
}

TEST(BinaryTree, HasAsLeavesWhatIsInsideTheOtherOne) {
  for (int nodes = 2; nodes <= 200; ++nodes) {
    const auto first = children_of(binary_tree(nodes, 0));
    const auto second = children_of(binary_tree(nodes, 1));
    int inside_both = 0;
    for (std::size_t node = 0; node < first.size(); ++node) {
      inside_both += first[node] > 0 && second[node] > 0 ? 1 : 0;
    }
    EXPECT_LE(inside_both, nodes % 2) << nodes << " nodes";
  }
}

TEST(Trees, AreAllNamedByTheKeyAndTheFlag) {
  EXPECT_EQ(algorithm_named("tree", "--algorithm"), &algorithms::tree);
  EXPECT_EQ(algorithm_named("pairwise", "--algorithm"), &algorithms::pairwise);
  EXPECT_EQ(algorithm_named("auto", "--algorithm"), nullptr);
  const auto of_all_reduce = [](std::string_view name) {
    return algorithm_named(name, "--algorithm", CollectiveKind::all_reduce);
  };
  EXPECT_EQ(of_all_reduce("ring"), &algorithms::ring);
  EXPECT_THROW(static_cast<void>(of_all_reduce("pairwise")), InputError);
}

TEST(Trees, PutOnEachLinkWhatTheirStepsDo) {
  for (const int nodes : {1, 3, 8}) {
    for (const int gpus : {1, 4}) {
      for (const NetworkFabric* fabric : all_network_fabrics()) {
        for (const NvlinkFabric* nvlink : all_nvlink_fabrics()) {
          const Cluster cluster = on_trees(sample_cluster({.nodes = nodes,
                                                           .gpus = gpus,
                                                           .nics = gpus,
                                                           .fabric = fabric,
                                                           .oversubscription = 2,
                                                           .nodes_per_leaf = 2,
                                                           .pod_oversubscription = 2,
                                                           .nvlink = nvlink}));
          if (rank_count(cluster) == 1) continue;
          const Topology topology(cluster);
          constexpr double kBytes = 3e7;
          const auto bytes = [&](Detail detail) {
            return link_bytes(schedule_of(collective_named("all_reduce"), cluster,
                                          all_ranks(cluster), kBytes, detail),
                              topology);
          };
          const auto folded = bytes(Detail::folded);
          const auto whole = bytes(Detail::step_by_step);
          for (LinkId link = 0; link < folded.size(); ++link) {
            EXPECT_NEAR(folded[link], whole[link], 1) << topology.links()[link].name;
          }
        }
      }
    }
  }
}

TEST(Trees, LoadAllNicsAlikeButThoseOfTheRoots) {
  // Twice the buffer leaves a node inside one tree and a leaf of the other; the two roots have no
  // parent, and one child.
  const Cluster cluster = on_trees(sample_cluster({.nodes = 8, .gpus = 2, .nics = 2}));
  const Topology topology(cluster);
  constexpr double kBytes = 1 << 24;
  const auto bytes = link_bytes(schedule_of(collective_named("all_reduce"), cluster,
                                            all_ranks(cluster), kBytes, Detail::folded),
                                topology);
  for (LinkId link = 0; link < topology.links().size(); ++link) {
    if (!topology.links()[link].kind.starts_with("nic_")) continue;
    const auto number = std::stoi(
        topology.links()[link].name.substr(topology.links()[link].name.find_last_of('_') + 1));
    const int node = number / 2;
    const bool root = node == 0 || node == 7;
    EXPECT_NEAR(bytes[link], (root ? 0.5 : 1.0) * kBytes, 1) << topology.links()[link].name;
  }
}

TEST(Trees, TakeTwoNodesAChunkMoreThanTheirBytes) {
  // One hop up and one down, which share each direction of a NIC with the other tree's; chunks as
  // NCCL cuts those of 8 channels over two nodes of one GPU, of depth 1.
  const Cluster cluster = on_trees(sample_cluster({.nodes = 2, .gpus = 1, .nics = 1}));
  struct Case {
    double channel_KiB, chunks;
  };
  for (const auto& [channel_KiB, chunks] : {Case{64, 1}, Case{256, 4}, Case{512, 4}, Case{1024, 8},
                                            Case{2048, 8}, Case{8192, 16}, Case{8200, 17}}) {
    const double bytes = 8 * channel_KiB * 1024;
    const double moving_s = bytes / kTreeNic;
    const double expected =
        kTreeLaunch + 2 * kTreeNicLatency + moving_s * (1 / kTreesReach + 1 / chunks);
    for (const Detail detail : kDetails) {
      EXPECT_NEAR(seconds(cluster, bytes, detail), expected, 1e-4 * expected) << channel_KiB;
    }
  }
}

TEST(Trees, TakeSmallBuffersUpAndDownTheirDepth) {
  // Nodes of one GPU on one switch: the deepest of 2^k nodes is k edges below the root.
  for (const int power : {1, 2, 3, 4, 5}) {
    const Cluster cluster = on_trees(sample_cluster({.nodes = 1 << power, .gpus = 1, .nics = 1}));
    for (const Detail detail : kDetails) {
      EXPECT_NEAR(seconds(cluster, 1, detail), kTreeLaunch + 2 * power * kTreeNicLatency, 1e-8);
    }
  }
}

TEST(Trees, FoldedTakeAsLongAsStepByStep) {
  for (const int nodes : {1, 2, 3, 6, 16}) {
    for (const int gpus : {1, 4}) {
      if (nodes * gpus == 1) continue;
      for (const double bytes : {1e5, 2e7}) {
        Cluster cluster = on_trees(sample_cluster({.nodes = nodes, .gpus = gpus, .nics = gpus}));
        for (const auto cap : {std::optional<Bandwidth>(), std::optional(20_GBps)}) {
          cluster.fitted.communicator_bandwidth = cap;
          const double folded = seconds(cluster, bytes, Detail::folded);
          EXPECT_NEAR(folded, seconds(cluster, bytes, Detail::step_by_step), 1e-3 * folded)
              << nodes << " x " << gpus << ", " << bytes << (cap ? ", capped" : "");
        }
      }
    }
  }
}

TEST(Trees, CoverGroupsThatLieUnevenlyOverNodes) {
  // Ranks 0, 3, 6 and 9 of nodes of four: two on the first node and one on each other one.
  const Cluster cluster = on_trees(sample_cluster({.nodes = 3, .gpus = 4, .nics = 4}));
  const std::vector<int> ranks{0, 3, 6, 9};
  constexpr double kBytes = 1 << 24;
  for (const Detail detail : kDetails) {
    const SentBytes sent =
        sent_bytes(schedule_of(collective_named("all_reduce"), cluster, ranks, kBytes, detail));
    const double all = std::accumulate(sent.intra_node.begin(), sent.intra_node.end(), 0.0) +
                       std::accumulate(sent.inter_node.begin(), sent.inter_node.end(), 0.0);
    EXPECT_NEAR(all, 2 * 3 * kBytes, 1);
  }
}

TEST(Trees, BeatRingsOnManyNodesWithSmallBuffersAlone) {
  const Cluster rings = sample_cluster({.nodes = 32, .gpus = 1, .nics = 1});
  EXPECT_LT(seconds(on_trees(rings), 1e5, Detail::folded), seconds(rings, 1e5, Detail::folded) / 3);
  EXPECT_GT(seconds(on_trees(rings), 4e9, Detail::folded), seconds(rings, 4e9, Detail::folded));
}

// By LL128 over two nodes of DGX B200, whose paces of channels by size count less for a step.
double small_tree_us(int gpus) {
  Cluster cluster =
      read_cluster(source_directory() / "topologies" / "dgx_b200.toml",
                   std::vector<Setting>{{"collectives.nccl", "\"2.28\""}, {"cluster.nodes", "2"}});
  cluster.collectives.algorithm = &algorithms::tree;
  cluster = part_of(cluster, 2, gpus);
  std::vector<int> ranks;
  for (int rank = 0; rank < 2 * gpus; ++rank) ranks.push_back(rank);
  ScheduleBuilder builder(rank_count(cluster));
  const Communicator group =
      make_communicator(cluster, builder, ranks, Detail::folded, {CollectiveKind::all_reduce});
  const auto time = group.laid.front().estimate(
      {.collective = CollectiveKind::all_reduce, .bytes = 1, .protocol = Protocol::ll128});
  return time.value().seconds() / 1e-6;
}

TEST(Trees, AsNcclTakeWhatItsTunerCountsForEachHop) {
  // 1.25 us up and down each further GPU of a node (src/graph/tuning.cc).
  EXPECT_NEAR(small_tree_us(8) - small_tree_us(4), 2 * 4 * 1.25, 0.01);
  EXPECT_NEAR(small_tree_us(4) - small_tree_us(2), 2 * 2 * 1.25, 0.01);
}

}  // namespace
}  // namespace sim
