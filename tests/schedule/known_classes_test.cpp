// SPDX-License-Identifier: Apache-2.0
// Classes of alike ranks are found once for drafts that differ in rates alone, and groups are drafted
// once for steps that differ in what computing takes.
#include <gtest/gtest.h>

#include <memory>

#include "sim/collectives/congruent.hpp"
#include "sim/program/known_groups.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Cluster sample() {
  Cluster cluster =
      sample_cluster({.nodes = 16, .fabric = &fabrics::fat_tree_2level, .oversubscription = 2});
  add_protocols(cluster);
  return cluster;
}

// A group over all ranks, and one for each node.
std::shared_ptr<const GroupDrafts> drafts_on(const Topology& topology) {
  const Cluster& cluster = topology.cluster();
  std::vector<int> all(static_cast<std::size_t>(rank_count(cluster)));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  GroupDrafts drafts{.ranks = {all}, .groups = {}, .messages = {}};
  GroupDrafter drafter(topology, Detail::folded, gathers_and_sums());
  auto& inside = drafts.groups.emplace_back(GroupsKey{}, std::vector<GroupDraft>{}).second;
  for (int node = 0; node < cluster.nodes; ++node) {
    const auto first = all.begin() + node * cluster.gpus_per_node;
    inside.push_back(drafter.draft({first, first + cluster.gpus_per_node}));
  }
  auto& over_all = drafts.groups.emplace_back(GroupsKey{1}, std::vector<GroupDraft>{}).second;
  over_all.push_back(drafter.draft(all));
  return std::make_shared<const GroupDrafts>(std::move(drafts));
}

std::shared_ptr<const AlikeClasses> classes_of(KnownClasses& known, const Cluster& cluster) {
  const Topology topology(cluster);
  return known.of(topology, drafts_on(topology));
}

TEST(KnownClasses, AreThoseOfDraftsOnOtherRates) {
  KnownClasses known;
  Cluster cluster = sample();
  const auto first = classes_of(known, cluster);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(classes_of(known, cluster), first);
  cluster.network.efficiency = 0.5;
  cluster.nvlink.efficiency = 0.7;
  cluster.network.latency = 9_us;
  cluster.gpu.memory_bandwidth = 1000_GBps;
  EXPECT_EQ(classes_of(known, cluster), first);
  const Topology topology(cluster);
  const auto anew = alike_classes(topology, drafts_on(topology));
  EXPECT_EQ(anew->parts.ranks.of, first->parts.ranks.of);
  EXPECT_EQ(anew->parts.links.of, first->parts.links.of);
  EXPECT_EQ(anew->parts.legs.of, first->parts.legs.of);
}

TEST(KnownClasses, AreFoundAnewForOtherLinksAndGroups) {
  const auto is_found_anew = [](auto change) {
    KnownClasses known;
    Cluster cluster = sample();
    const auto first = classes_of(known, cluster);
    change(cluster);
    return classes_of(known, cluster) != first;
  };
  EXPECT_FALSE(is_found_anew([](Cluster&) {}));
  EXPECT_TRUE(is_found_anew([](Cluster& cluster) { cluster.nodes = 8; }));
  EXPECT_TRUE(is_found_anew([](Cluster& cluster) { cluster.network.nodes_per_leaf = 8; }));
  EXPECT_TRUE(is_found_anew([](Cluster& cluster) { cluster.network.oversubscription = 1; }));
  EXPECT_TRUE(is_found_anew([](Cluster& cluster) { cluster.collectives.channels = 4; }));
  EXPECT_TRUE(
      is_found_anew([](Cluster& cluster) { cluster.fitted.communicator_bandwidth = 20_GBps; }));
}

TEST(KnownClasses, AreRememberedForAFewKindsOfGroups) {
  KnownClasses known;
  Cluster one = sample(), other = sample();
  other.nodes = 8;
  const auto of_one = classes_of(known, one), of_other = classes_of(known, other);
  EXPECT_EQ(classes_of(known, one), of_one);
  EXPECT_EQ(classes_of(known, other), of_other);
}

// Gradients are summed among all ranks, and layers among those that split them.
Program summing_program() {
  Program program;
  Communication& sum = program.communications.emplace_back();
  sum.add(Transfer{.collective = CollectiveKind::reduce_scatter, .among = Among::shards});
  Communication& tensor = program.communications.emplace_back();
  tensor.axis = &axes::tensor;
  tensor.add(Transfer{.collective = CollectiveKind::all_gather, .among = Among::axis});
  return program;
}

class GroupsOfSteps : public testing::Test {
 protected:
  DraftedGroups of(const Cluster& on, int tensor = 2) {
    return known.of(program, {on, model, calibration, {.tensor = tensor}});
  }

  const Model model = deep_model();
  const Calibration calibration = roofline();
  const Program program = summing_program();
  Cluster cluster = sample();
  KnownGroups known;
};

TEST_F(GroupsOfSteps, AreDraftedOnceHoweverFastGpusCompute) {
  const DraftedGroups first = of(cluster);
  cluster.fitted.compute_efficiency = 0.5;
  cluster.default_efficiency = {.efficiency = 0.7};
  EXPECT_EQ(of(cluster).drafts, first.drafts);
  EXPECT_EQ(of(cluster).topology, first.topology);
}

TEST_F(GroupsOfSteps, AreDraftedAnewForOtherLinksOrRanks) {
  const DraftedGroups first = of(cluster);
  EXPECT_NE(of(cluster, 4).drafts, first.drafts);
  Cluster slower = cluster;
  slower.network.efficiency = 0.5;
  EXPECT_NE(of(slower).drafts, first.drafts);
  EXPECT_EQ(of(slower).classes, first.classes);
  EXPECT_EQ(of(slower).topology->cluster().network.efficiency, 0.5);
  EXPECT_EQ(of(cluster).drafts, first.drafts);
}

}  // namespace
}  // namespace sim
