// SPDX-License-Identifier: Apache-2.0
// Groups in which one rank stands for all that are alike take as long, and load links as much, as
// those in which each stands for itself.
#include "sim/program/lone_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/report/report.hpp"
#include "sim/topology/traffic.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

struct Played {
  double time_s = 0;
  LinkUse busiest;
  std::size_t operations = 0;
};

Played played(const Schedule& schedule, const Wiring& wiring) {
  const Timeline timeline = simulate(schedule, wiring);
  return {timeline.makespan_s, busiest_links(schedule, wiring, timeline).front(),
          schedule.operations.size()};
}

constexpr double kLoneBytes = 1e7;

void expect_alike(const Topology& topology, const std::vector<std::vector<int>>& groups) {
  const LoneGroups lone(topology, groups, every_collective(), Detail::folded);
  for (const CollectiveRow& row : all_collectives()) {
    SCOPED_TRACE(testing::Message()
                 << row.name << " on " << topology.cluster().network.fabric->name);
    const LoneGroups::Alone alone = lone.run(row, kLoneBytes, Buffers::in_place);
    const LoneCollective each =
        run_alone(row, topology, groups, kLoneBytes, Detail::folded, Buffers::in_place);
    EXPECT_EQ(alone.collective.algorithm, each.algorithm);
    EXPECT_EQ(alone.collective.latency_s, each.latency_s);
    const Played once = played(alone.collective.schedule, alone.wiring);
    const Played whole = played(each.schedule, wire(each.schedule, topology));
    EXPECT_NEAR(once.time_s / whole.time_s, 1, 1e-9);
    EXPECT_NEAR(once.busiest.busy / whole.busiest.busy, 1, 1e-9);
    EXPECT_EQ(once.busiest.link, whole.busiest.link);
    EXPECT_EQ(once.busiest.as_busy, whole.busiest.as_busy);
    EXPECT_LE(once.operations, whole.operations);
  }
}

TEST(LoneGroups, TakeAsLongWhereOneRankStandsForAll) {
  for (const NetworkFabric* fabric : all_network_fabrics()) {
    const Cluster cluster = sample_cluster({.nodes = 8, .gpus = 4, .nics = 4, .fabric = fabric});
    const Topology topology(cluster);
    expect_alike(topology, {all_ranks(cluster)});
    expect_alike(topology, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}});
    expect_alike(topology, {{0, 5, 9}});
  }
}

TEST(LoneGroups, HaveFewOperationsWhereAllAreAlike) {
  const Cluster cluster = sample_cluster({.nodes = 64, .gpus = 4, .nics = 4});
  const Topology topology(cluster);
  const LoneGroups lone(topology, {all_ranks(cluster)}, {CollectiveKind::all_gather});
  EXPECT_EQ(lone.ranks(), 256);
  const auto alone = lone.run(collective_named("all_gather"), kLoneBytes, Buffers::in_place);
  EXPECT_LT(alone.collective.schedule.operations.size(), 16u);
}

TEST(LoneGroups, AreEachForItselfWhereOtherJobsSend) {
  Cluster cluster = sample_cluster({.nodes = 4, .gpus = 2, .nics = 2});
  cluster = part_of(cluster, 2, 2);
  cluster.traffic = parse_traffic(
      "[jobs.other]\nplacement = \"2,3\"\npattern = \"ring\"\nbandwidth = \"1 GBps\"\n",
      "jobs.toml");
  const Topology topology(cluster);
  const LoneGroups lone(topology, {all_ranks(cluster)}, {CollectiveKind::all_gather});
  const auto alone = lone.run(collective_named("all_gather"), kLoneBytes, Buffers::in_place);
  EXPECT_FALSE(alone.wiring.background.empty());
  EXPECT_TRUE(alone.wiring.alike.empty());
}

}  // namespace
}  // namespace sim
