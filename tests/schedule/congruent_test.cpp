// SPDX-License-Identifier: Apache-2.0
// A group that is congruent to another one is laid out as it would be itself, by every algorithm.
#include "sim/collectives/congruent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/collectives/channels.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr int kNodesOfAll = 32;

// Ranks `first`, `first + stride`, ...
std::vector<int> strided(int first, int stride, int count) {
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return ranks;
}

// Inside nodes, over GPUs of one number or of several, and over neighbouring nodes.
std::vector<std::vector<int>> groups_of_shape(int stride, int count) {
  std::vector<std::vector<int>> groups;
  const int span = stride * (count - 1);
  for (int first = 0; first + span < kNodesOfAll * 8; ++first) {
    const bool begins = first % (stride * count) < stride;
    if (begins) groups.push_back(strided(first, stride, count));
  }
  return groups;
}

Uses every_algorithm(const Cluster& cluster, const std::vector<int>& ranks) {
  const GroupShape shape{static_cast<int>(ranks.size()), count_nodes(cluster, ranks),
                         lie_evenly(cluster, ranks)};
  Uses uses;
  for (const CollectiveAlgorithm* one : all_algorithms()) {
    if (!one->can_run_on(cluster, shape)) continue;
    for (const CollectiveKind kind : one->runs) uses.emplace_back(kind, one);
  }
  return uses;
}

void expect_equal(const GroupDraft& taken, const GroupDraft& own) {
  ASSERT_EQ(taken.laid().size(), own.laid().size());
  for (std::size_t i = 0; i < own.laid().size(); ++i) {
    SCOPED_TRACE(own.laid()[i].algorithm->name);
    const LaidOut& one = taken.laid()[i].out;
    const LaidOut& other = own.laid()[i].out;
    ASSERT_EQ(one.legs.size(), other.legs.size());
    for (std::size_t leg = 0; leg < one.legs.size(); ++leg) {
      EXPECT_EQ(taken.hops(one.legs[leg]), own.hops(other.legs[leg]));
      EXPECT_EQ(one.legs[leg].unit, other.legs[leg].unit);
      EXPECT_EQ(one.legs[leg].channels, other.legs[leg].channels);
      EXPECT_EQ(one.legs[leg].round, other.legs[leg].round);
    }
    ASSERT_EQ(one.pace.size(), other.pace.size());
    for (std::size_t at = 0; at < one.pace.size(); ++at) {
      EXPECT_DOUBLE_EQ(one.pace[at], other.pace[at]);
    }
  }
}

// Pairs of groups of which the second is taken from the first.
int compared(const Topology& topology, int stride, int count) {
  const std::vector<std::vector<int>> groups = groups_of_shape(stride, count);
  const Uses uses = every_algorithm(topology.cluster(), groups.front());
  int pairs = 0;
  const std::size_t step = groups.size() / 5 + 1;
  for (std::size_t i = 1; i < groups.size(); i += step) {
    GroupDrafter drafter(topology, Detail::folded, uses);
    static_cast<void>(drafter.draft(groups[i / 2]));
    const GroupDraft taken = drafter.draft(groups[i]);
    if (taken.shift.ranks == 0) continue;
    ++pairs;
    expect_equal(taken, draft_group(topology, groups[i], Detail::folded, uses));
  }
  return pairs;
}

TEST(CongruentGroups, AreLaidOutAsTheyWouldBeThemselves) {
  struct Grid {
    int stride, count;
  };
  for (const NetworkFabric* fabric : all_network_fabrics()) {
    for (const int nics : {8, 4}) {
      Cluster cluster = sample_cluster({.nodes = kNodesOfAll,
                                        .nics = nics,
                                        .fabric = fabric,
                                        .oversubscription = 2,
                                        .pod_oversubscription = 2});
      add_protocols(cluster);
      const Topology topology(cluster);
      for (const auto& [stride, count] :
           {Grid{1, 8}, Grid{1, 4}, Grid{2, 4}, Grid{1, 16}, Grid{1, 64}, Grid{8, 8}, Grid{8, 32},
            Grid{4, 16}, Grid{4, 64}, Grid{24, 5}}) {
        SCOPED_TRACE(testing::Message() << fabric->name << ", " << nics << " NICs, " << count
                                        << " ranks " << stride << " apart");
        const int pairs = compared(topology, stride, count);
        EXPECT_TRUE(stride * count > 8 || pairs > 0);
      }
    }
  }
}

TEST(CongruentGroups, AreNoneWhereTheirLinksDiffer) {
  Cluster cluster = sample_cluster(
      {.nodes = kNodesOfAll, .fabric = &fabrics::fat_tree_2level, .oversubscription = 2});
  const auto shift = [&](int from, int to, int stride) {
    return shift_between(Topology(cluster), strided(from, stride, 4), strided(to, stride, 4));
  };
  EXPECT_TRUE(shift(0, 64 * 2, 8));  // whole leaves of 4 nodes apart, and blocks of 8
  EXPECT_FALSE(shift(0, 16, 8));     // half a leaf
  EXPECT_TRUE(shift(0, 3, 8));       // another GPU of each node
  EXPECT_TRUE(shift(0, 4, 1));
  EXPECT_FALSE(shift(0, 6, 1));  // over two nodes
  cluster.network.far_gpus = {3};
  EXPECT_FALSE(shift(0, 3, 8));
  cluster.network.far_gpus = {};
  cluster.network.load_balance = LoadBalance::ecmp;
  cluster.network.uplink_bandwidth = cluster.network.nic_bandwidth;
  EXPECT_FALSE(shift(0, 64 * 2, 8));
}

}  // namespace
}  // namespace sim
