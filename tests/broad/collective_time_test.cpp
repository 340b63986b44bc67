// SPDX-License-Identifier: Apache-2.0
// Simulated time of single collectives: closed forms where nothing contends, and bounds where links
// are shared. The sample cluster has NVLink of 400 GB/s and 2 us, NICs of 50 GB/s and 5 us, 1 us
// for a further switch, and 10 us for a launch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kNvlink = 400e9;
constexpr double kNic = 50e9;
constexpr double kNvlinkLatency = 2e-6;
constexpr double kNicLatency = 5e-6;
constexpr double kSwitchLatency = 1e-6;
constexpr double kLaunch = 10e-6;

double time_of(const Schedule& schedule, const Cluster& cluster) {
  return simulate(schedule, cluster).makespan_s;
}

template <class Check>
void for_each_shape(Check check) {
  for (const int nodes : {1, 2, 4}) {
    for (const int gpus : {2, 4, 8}) {
      for (const int nics : {gpus, gpus / 2}) {
        SCOPED_TRACE(testing::Message()
                     << nodes << " nodes of " << gpus << " GPUs and " << nics << " NICs");
        check(sample_cluster({.nodes = nodes, .gpus = gpus, .nics = nics}));
      }
    }
  }
}

TEST(CollectiveTime, OfARingIsItsStepsAndItsBytesOverTheNicsOfANode) {
  // rounds (n-1) steps, each with the mean latency of a node's hops; and rounds (n-1)/n of the
  // buffer over what is slowest: a GPU's port, or all NICs of a node together.
  constexpr double kBytes = 64 << 20;
  for_each_shape([](const Cluster& cluster) {
    const double n = rank_count(cluster);
    const double gpus = cluster.gpus_per_node;
    const bool one_node = cluster.nodes == 1;
    const double step =
        one_node ? kNvlinkLatency : ((gpus - 1) * kNvlinkLatency + kNicLatency) / gpus;
    const double rate =
        one_node ? kNvlink : std::min(kNvlink, kNic * cluster.network.nics_per_node);
    for (const CollectiveRow& row : all_collectives()) {
      if (!algorithms::ring.can_run(row.collective)) continue;
      const double expected = kLaunch + row.rounds * (n - 1) * (step + kBytes / n / rate);
      for (const Detail detail : kDetails) {
        const Schedule schedule = schedule_of(row, cluster, all_ranks(cluster), kBytes, detail);
        EXPECT_NEAR(time_of(schedule, cluster) / expected, 1, 1e-6) << row.name;
      }
    }
  });
}

TEST(CollectiveTime, OfAllToAllIsItsBytesOverTheBusierOfNicAndPort) {
  // 1/n of the buffer to each other rank, at once: G-1 of them through the GPU's port, and n-G of
  // each GPU of a NIC through that NIC.
  constexpr double kBytes = 64 << 20;
  const CollectiveRow& row = collective_named("all_to_all");
  for_each_shape([&](const Cluster& cluster) {
    const double n = rank_count(cluster);
    const double gpus = cluster.gpus_per_node;
    const double sharers = gpus / cluster.network.nics_per_node;
    const double inside = (gpus - 1) / n * kBytes / kNvlink;
    const double outside = sharers * (n - gpus) / n * kBytes / kNic;
    const double farthest = cluster.nodes == 1 ? kNvlinkLatency : kNicLatency;
    for (const Detail detail : kDetails) {
      const Schedule schedule = schedule_of(row, cluster, all_ranks(cluster), kBytes, detail);
      const double expected = kLaunch + farthest + std::max(inside, outside);
      EXPECT_NEAR(time_of(schedule, cluster) / expected, 1, 1e-6);
    }
  });
}

TEST(CollectiveTime, GrowsByTheSwitchesOnTheWayWhereTheCoreDoesNotBlock) {
  // Four nodes of one GPU, two a leaf and a leaf a pod: of the ring's hops two stay on a leaf and
  // two cross 2 (two levels) or 4 (three levels) further switches.
  constexpr double kBytes = 1 << 20;
  const CollectiveRow& ring = collective_named("all_gather");
  const CollectiveRow& pairs = collective_named("all_to_all");
  const std::pair<const NetworkFabric*, double> fabrics[] = {{&fabrics::single_switch, 0},
                                                             {&fabrics::rail_optimized, 2},
                                                             {&fabrics::rail_spine, 2},
                                                             {&fabrics::fat_tree_2level, 2},
                                                             {&fabrics::fat_tree_3level, 4}};
  for (const auto& [fabric, further_switches] : fabrics) {
    const Cluster cluster = sample_cluster({.nodes = 4,
                                            .gpus = 1,
                                            .nics = 1,
                                            .fabric = fabric,
                                            .nodes_per_leaf = 2,
                                            .leaves_per_pod = 1});
    const double far = kNicLatency + further_switches * kSwitchLatency;
    const double bytes_s = 3 * kBytes / 4 / kNic;
    for (const Detail detail : kDetails) {
      const auto time = [&](const CollectiveRow& row) {
        return time_of(schedule_of(row, cluster, all_ranks(cluster), kBytes, detail), cluster);
      };
      EXPECT_NEAR(time(ring), kLaunch + 3 * (kNicLatency + far) / 2 + bytes_s, 1e-10);
      EXPECT_NEAR(time(pairs), kLaunch + far + bytes_s, 1e-10);
    }
  }
}

TEST(CollectiveTime, OfATaperedLeafIsWhatCrossesItOverItsUplinks) {
  // 2 leaves of 4 nodes of one GPU: of each rank's 7 messages 4 go to the other leaf, so 4 * 4 of
  // 1/8 of the buffer cross each leaf's uplinks, whose 4 NICs are tapered by 4 to 50 GB/s.
  constexpr double kBytes = 64 << 20;
  const Cluster cluster = sample_cluster({.nodes = 8,
                                          .gpus = 1,
                                          .nics = 1,
                                          .fabric = &fabrics::fat_tree_2level,
                                          .oversubscription = 4});
  const CollectiveRow& row = collective_named("all_to_all");
  const double expected =
      kLaunch + kNicLatency + 2 * kSwitchLatency + 16 * kBytes / 8 / (4 * kNic / 4);
  for (const Detail detail : kDetails) {
    const Schedule schedule = schedule_of(row, cluster, all_ranks(cluster), kBytes, detail);
    EXPECT_NEAR(time_of(schedule, cluster) / expected, 1, 1e-6);
  }
}

TEST(CollectiveTime, OfOneGpuANodeIsThatOfOneNic) {
  // A communicator's rings use the NICs of its own GPUs, though the node has eight: (n-1)/n of the
  // buffer over 50 GB/s, in three steps of 5 us.
  constexpr double kBytes = 64 << 20;
  const Cluster cluster = sample_cluster({.nodes = 4, .gpus = 8, .nics = 8});
  for (const Detail detail : kDetails) {
    const Schedule schedule =
        schedule_of(collective_named("all_gather"), cluster, {3, 11, 19, 27}, kBytes, detail);
    const double expected = kLaunch + 3 * kNicLatency + 0.75 * kBytes / kNic;
    EXPECT_NEAR(time_of(schedule, cluster) / expected, 1, 1e-6);
  }
}

TEST(CollectiveTime, OfAMessageIsItsLatenciesAndItsBytesOverTheSlowestHop) {
  constexpr double kBytes = 64 << 20;
  struct Case {
    int destination;
    double latency;
    double rate;
  };
  // Inside the node; on the same rail; on another rail, by way of the GPU of that rail.
  const Case cases[] = {{1, kNvlinkLatency, kNvlink},
                        {8, kNicLatency, kNic},
                        {9, kNvlinkLatency + kNicLatency, kNic}};
  const Cluster cluster = sample_cluster({.nodes = 2, .fabric = &fabrics::rail_optimized});
  for (const Case& one : cases) {
    ScheduleBuilder builder(16);
    send(cluster, builder, {.source = 0, .destination = one.destination, .bytes = kBytes}, {});
    // Who waits for it is the caller's to say.
    for (const int rank : {0, one.destination}) {
      EXPECT_EQ(builder.last(rank, Stream::compute), kNoOperation);
    }
    const double expected = kLaunch + one.latency + kBytes / one.rate;
    EXPECT_NEAR(time_of(std::move(builder).finish(), cluster), expected, 1e-10);
  }
}

TEST(CollectiveTime, OfAScalarIsTwiceTheDepthOfItsTree) {
  // Up and down 7 hops inside a node and log2(4) = 2 between nodes.
  const Cluster cluster = sample_cluster({.nodes = 4, .gpus = 8, .nics = 8});
  for (const Detail detail : kDetails) {
    ScheduleBuilder builder(32);
    const Communicator group = make_communicator(cluster, builder, all_ranks(cluster), detail);
    all_reduce_scalar(cluster, builder, group, {});
    EXPECT_NEAR(time_of(std::move(builder).finish(), cluster),
                kLaunch + 2 * (7 * kNvlinkLatency + 2 * kNicLatency), 1e-12);
  }
}

TEST(CollectiveTime, StartsWhenTheLastRankArrives) {
  const Cluster cluster = sample_cluster({.nodes = 2, .gpus = 2, .nics = 2});
  for (const CollectiveRow& row : all_collectives()) {
    for (const Detail detail : kDetails) {
      ScheduleBuilder builder(4);
      const Communicator group = make_communicator(cluster, builder, all_ranks(cluster), detail);
      std::vector<OperationId> ready;
      for (const int rank : {0, 1, 2}) {
        ready.push_back(builder.work(rank, Stream::compute, Phase::forward, "", rank + 1, 0));
      }
      // The last rank is held by what is on the collective's own stream.
      builder.work(3, Stream::weights, Phase::forward, "", 4, 0);
      ready.push_back(kNoOperation);
      append(builder, group, row.collective, 1 << 20, {.stream = Stream::weights, .after = ready});
      const double alone =
          time_of(schedule_of(row, cluster, all_ranks(cluster), 1 << 20, detail), cluster);
      const Schedule schedule = std::move(builder).finish();
      const Timeline timeline = simulate(schedule, cluster);
      EXPECT_NEAR(timeline.makespan_s, 4 + alone, 1e-9) << row.name;
      for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
        const Operation& operation = schedule.operations[id];
        if (operation.kind == OperationKind::flow) {
          EXPECT_GE(timeline.start_s[id], 4);
        }
        if (operation.kind != OperationKind::member) continue;
        EXPECT_DOUBLE_EQ(timeline.start_s[id], operation.rank + 1);
        EXPECT_DOUBLE_EQ(timeline.end_s[id], timeline.makespan_s);
      }
    }
  }
}

// A fabric, with NVLink ports or a full mesh inside the nodes.
class CollectiveBound : public testing::TestWithParam<const NetworkFabric*> {};

TEST_P(CollectiveBound, IsTheBytesOfAnyLinkOverItsBandwidth) {
  for (const auto nvlink : {&fabrics::switched, &fabrics::full_mesh}) {
    for (const double oversubscription : {1.0, 4.0}) {
      const Cluster cluster = sample_cluster({.nodes = 8,
                                              .gpus = 2,
                                              .nics = 1,
                                              .fabric = GetParam(),
                                              .oversubscription = oversubscription,
                                              .nodes_per_leaf = 2,
                                              .pod_oversubscription = oversubscription,
                                              .nvlink = nvlink});
      const Topology topology(cluster);
      for (const CollectiveRow& row : all_collectives()) {
        for (const Detail detail : kDetails) {
          const Schedule schedule = schedule_of(row, cluster, all_ranks(cluster), 16e6, detail);
          const double seconds = time_of(schedule, cluster);
          const std::vector<double> bytes = link_bytes(schedule, topology);
          for (LinkId link = 0; link < topology.links().size(); ++link) {
            EXPECT_GE(seconds, bytes[link] / topology.links()[link].rate_Bps)
                << row.name << " over " << topology.links()[link].name;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fabric, CollectiveBound, testing::ValuesIn(all_network_fabrics()),
                         [](const auto& param_info) {
                           return std::string(param_info.param->name);
                         });

}  // namespace
}  // namespace sim
