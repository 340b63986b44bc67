// SPDX-License-Identifier: Apache-2.0
// Rails joined by oversubscribed spines: closed forms of what crosses them, and folded against step by
// step. Nodes of R GPUs with a NIC of 50 GB/s each, n nodes to a group; a leaf's uplinks carry n NICs
// over the oversubscription.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/engine/simulate.hpp"
#include "tests/schedule/fold_grid.hpp"

namespace sim {
namespace {

constexpr double kRailNic = 50e9;
constexpr double kRailBytes = 4e9;  // latencies are below 0.1 % of what it takes
constexpr int kRails = 4;

Cluster rails_of(int nodes, double oversubscription,
                 const NetworkFabric& fabric = fabrics::rail_spine) {
  Cluster cluster = sample_cluster({.nodes = nodes,
                                    .gpus = kRails,
                                    .nics = kRails,
                                    .fabric = &fabric,
                                    .oversubscription = oversubscription,
                                    .nodes_per_leaf = 4});
  cluster.nvlink.bandwidth = 4000_GBps;  // never what bounds the time
  return cluster;
}

double seconds_on(const Cluster& cluster, const char* name, Detail detail) {
  const Schedule schedule =
      schedule_of(collective_named(name), cluster, all_ranks(cluster), kRailBytes, detail);
  return simulate(schedule, cluster).makespan_s;
}

// 2 (N - 1) / N of the buffer over R NICs, and over one rail of a group's uplinks where rings leave it.
TEST(RailSpine, RingsStayAtTheNicsRateUntilOversubscriptionExceedsAGroupsNodes) {
  for (const int nodes : {4, 8, 16}) {
    const double ranks = kRails * nodes;
    const double free_s = 2 * (ranks - 1) / ranks * kRailBytes / (kRails * kRailNic);
    for (const double oversubscription : {1.0, 2.0, 4.0, 8.0}) {
      const double slower = nodes > 4 ? std::max(1.0, oversubscription / 4) : 1;
      for (const Detail detail : kDetails) {
        const double seconds = seconds_on(rails_of(nodes, oversubscription), "all_reduce", detail);
        EXPECT_NEAR(seconds / (free_s * slower), 1, 0.02) << nodes << ' ' << oversubscription;
      }
    }
  }
}

// A rank sends 1/n of its buffer to each of n ranks: n - R of them through its NIC; all of these cross
// the spines but those to the other nodes of its group on its rail.
TEST(RailSpine, PairsAreCutByTheSpinesOversubscription) {
  for (const int nodes : {4, 8, 16}) {
    const double ranks = kRails * nodes, part = kRailBytes / ranks / kRailNic;
    const double leaves_node = ranks - kRails, on_leaf = std::min(nodes, 4) - 1;
    for (const double oversubscription : {1.0, 1.25, 2.0, 4.0}) {
      const double crossing = oversubscription * (leaves_node - on_leaf);
      const double expected = part * std::max(leaves_node, crossing);
      for (const Detail detail : kDetails) {
        const double seconds = seconds_on(rails_of(nodes, oversubscription), "all_to_all", detail);
        EXPECT_NEAR(seconds / expected, 1, 1e-3) << nodes << ' ' << oversubscription;
      }
    }
  }
}

TEST(RailSpine, HalfTheUplinksHalveWhatCrossesThem) {
  // From GPU 0 of each node of a group to GPU 1 of the next: four messages over four uplinks or two.
  const auto seconds = [](double oversubscription) {
    const Cluster cluster = rails_of(4, oversubscription);
    ScheduleBuilder builder(rank_count(cluster));
    for (int node = 0; node < 4; ++node) {
      send(cluster, builder,
           {.source = kRails * node,
            .destination = kRails * ((node + 1) % 4) + 1,
            .bytes = kRailBytes},
           {});
    }
    return simulate(std::move(builder).finish(), cluster).makespan_s;
  };
  EXPECT_NEAR(seconds(1) / (kRailBytes / kRailNic), 1, 1e-3);
  EXPECT_NEAR(seconds(2) / seconds(1), 2, 1e-3);
}

TEST(RailSpine, RelayedMessagesOfAGroupNeverCrossIt) {
  const double relayed =
      seconds_on(rails_of(4, 4, fabrics::rail_optimized), "all_to_all", Detail::folded);
  EXPECT_NEAR(relayed / (12.0 / 16 * kRailBytes / kRailNic), 1, 1e-3);
}

TEST(RailSpine, FoldsAsItTakesStepByStep) {
  for (const int nodes : {2, 8, 16}) {
    for (const char* name : {"all_reduce", "all_gather", "all_to_all"}) {
      const Cluster cluster = rails_of(nodes, 2);
      const FoldTimes times =
          fold_times(collective_named(name), cluster, all_ranks(cluster), 64 << 20);
      EXPECT_LT(std::abs(times.difference()), kFoldTolerance) << name << " on " << nodes;
    }
  }
}

}  // namespace
}  // namespace sim
