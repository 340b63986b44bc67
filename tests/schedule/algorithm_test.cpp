// SPDX-License-Identifier: Apache-2.0
// Algorithms in rounds: closed forms on links that nothing else uses, folded against step by step,
// and which one is chosen. NVLink has 400 GB/s and 2 us, NICs 50 GB/s and 5 us, and a launch takes
// 10 us.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sim/engine/simulate.hpp"
#include "tests/schedule/fold_grid.hpp"

namespace sim {
namespace {

constexpr double kPort = 400e9, kNicOf = 50e9;
constexpr double kPortLatency = 2e-6, kNicStep = 5e-6, kStart = 10e-6;
constexpr double kExact = 1e-3;

void expect_seconds(std::string_view collective, const Cluster& cluster, double bytes,
                    double expected) {
  const CollectiveRow& row = collective_named(collective);
  for (const Detail detail : kDetails) {
    const Schedule schedule = schedule_of(row, cluster, all_ranks(cluster), bytes, detail);
    EXPECT_NEAR(simulate(schedule, cluster).makespan_s / expected, 1, kExact)
        << collective << " of " << bytes << " B on " << cluster.nodes << " nodes of "
        << cluster.gpus_per_node << (detail == Detail::folded ? ", folded" : ", step by step");
  }
}

constexpr double kSizes[] = {1e3, 1e6, 1e8};

TEST(Pat, TakesLogarithmicallyManyStepsAndNcclsLinearPart) {
  for (const int n : {2, 3, 8, 12, 16}) {
    const Cluster cluster = run_by(algorithms::pat, {.nodes = n, .gpus = 1, .nics = 1});
    const double steps = std::ceil(std::log2(n));
    for (const double bytes : kSizes) {
      const double moving = (n - 1.0) / n * bytes / (0.75 * kNicOf);
      const double expected = kStart + n * 2.8e-6 + steps * kNicStep / 3.5 + moving;
      expect_seconds("all_gather", cluster, bytes, expected);
      expect_seconds("reduce_scatter", cluster, bytes, expected);
    }
  }
}

TEST(Pat, IsChosenForSmallBuffersOfOneGpuANode) {
  const auto algorithm = [](const Cluster& cluster, double bytes) {
    const std::vector<int> ranks = all_ranks(cluster);
    return run_alone(collective_named("all_gather"), cluster, {&ranks, 1}, bytes, Detail::folded,
                     Buffers::in_place)
        .algorithm;
  };
  Cluster cluster = sample_cluster({.nodes = 32, .gpus = 1, .nics = 1});
  cluster.collectives.algorithm = nullptr;
  EXPECT_EQ(algorithm(cluster, 1e4), "pat");
  EXPECT_EQ(algorithm(cluster, 1e9), "ring");
  cluster = sample_cluster({.nodes = 32, .gpus = 2, .nics = 2});
  cluster.collectives.algorithm = nullptr;
  EXPECT_EQ(algorithm(cluster, 1e4), "ring");
}

TEST(Recursive, HalvesAndDoublesFromTheNearestRank) {
  for (const int nodes : {1, 2, 8}) {
    const Cluster cluster = run_by(algorithms::recursive, {.nodes = nodes, .gpus = 4, .nics = 4});
    const int n = rank_count(cluster);
    for (const double bytes : kSizes) {
      double gather = 0, reduce = 0;
      for (int distance = 1; distance < n; distance *= 2) {
        const bool inside = distance < 4;
        const double latency = inside ? kPortLatency : kNicStep, rate = inside ? kPort : kNicOf;
        gather += latency + bytes * distance / n / rate;
        reduce += 2 * (latency + bytes / (2 * distance) / rate);
      }
      expect_seconds("all_gather", cluster, bytes, kStart + gather);
      expect_seconds("reduce_scatter", cluster, bytes, kStart + gather);
      expect_seconds("all_reduce", cluster, bytes, kStart + reduce);
    }
  }
}

TEST(Hierarchical, TakesRingsInsideAndBetweenOneAfterTheOther) {
  for (const int nodes : {1, 2, 6}) {
    for (const int gpus : {1, 4}) {
      if (nodes * gpus == 1) continue;
      const Cluster cluster =
          run_by(algorithms::hierarchical, {.nodes = nodes, .gpus = gpus, .nics = gpus});
      for (const double bytes : kSizes) {
        const double inside = (gpus - 1) * (kPortLatency + bytes / gpus / kPort);
        const double between = (nodes - 1) * (kNicStep + bytes / gpus / nodes / kNicOf);
        expect_seconds("all_gather", cluster, bytes, kStart + inside + between);
        expect_seconds("reduce_scatter", cluster, bytes, kStart + inside + between);
        expect_seconds("all_reduce", cluster, bytes, kStart + 2 * (inside + between));
      }
    }
  }
}

TEST(Rail, HandsOverInsideAndSendsABundleToEachNode) {
  for (const NetworkFabric* fabric : {&fabrics::single_switch, &fabrics::rail_optimized}) {
    Cluster cluster =
        run_by(algorithms::rail, {.nodes = 4, .gpus = 4, .nics = 4, .fabric = fabric});
    for (const double bytes : kSizes) {
      const double inside = kPortLatency + 3 * bytes / 4 / kPort;
      const double between = kNicStep + 3 * bytes / 4 / kNicOf;
      expect_seconds("all_to_all", cluster, bytes, kStart + inside + between);
    }
    // 3 messages inside and 3 between nodes, where pairwise has 15.
    cluster.collectives.message = 100_us;
    expect_seconds("all_to_all", cluster, 1, 6 * 100e-6);
    cluster.collectives.algorithm = &algorithms::pairwise;
    expect_seconds("all_to_all", cluster, 1, 15 * 100e-6);
  }
}

TEST(Rail, IsChosenForSmallMessagesOverRails) {
  const auto algorithm = [](const NetworkFabric& fabric, double bytes) {
    Cluster cluster = sample_cluster({.nodes = 8, .gpus = 8, .nics = 8, .fabric = &fabric});
    cluster.collectives.algorithm = nullptr;
    cluster.collectives.message = 1_us;
    const std::vector<int> ranks = all_ranks(cluster);
    return run_alone(collective_named("all_to_all"), cluster, {&ranks, 1}, bytes, Detail::folded,
                     Buffers::in_place)
        .algorithm;
  };
  EXPECT_EQ(algorithm(fabrics::rail_optimized, 1e3), "rail");
  EXPECT_EQ(algorithm(fabrics::rail_optimized, 1e9), "pairwise");
  EXPECT_EQ(algorithm(fabrics::single_switch, 1e3), "pairwise");
}

TEST(Broadcast, PassesEveryHopOfAChainOnceInChunks) {
  for (const int nodes : {1, 2, 4}) {
    const Cluster cluster = run_by(algorithms::ring, {.nodes = nodes, .gpus = 8, .nics = 8});
    // The first channel's ring enters the root from the last node, those of other NICs inside its node.
    const double hops = 8 * nodes - 1;
    const double crossings = nodes == 1 ? 0 : nodes - 1.0 / 8;
    const double latency = (hops - crossings) * kPortLatency + crossings * kNicStep;
    for (const double bytes : kSizes) {
      const double chunks = std::min(bytes, 8.0 * 512 * 1024);  // of eight channels
      // A node's eight NICs are as fast as a GPU's port.
      const double moving = (bytes + (hops - 1) * chunks) / kPort;
      expect_seconds("broadcast", cluster, bytes, kStart + latency + moving);
    }
  }
}

TEST(SendReceive, TakesTheSlowestOfItsMessages) {
  for (const double bytes : kSizes) {
    expect_seconds("send_receive", sample_cluster({.nodes = 1}), bytes,
                   kStart + kPortLatency + bytes / kPort);
    expect_seconds("send_receive", sample_cluster({.nodes = 3}), bytes,
                   kStart + kNicStep + bytes / kNicOf);
  }
}

TEST(BusBandwidth, IsTheAlgorithmBandwidthOfABroadcastAndOfSendReceive) {
  for (const char* name : {"broadcast", "send_receive"}) {
    EXPECT_EQ(collective_named(name).sent_share(2), 1);
    EXPECT_EQ(collective_named(name).sent_share(64), 1);
  }
}

TEST(CopyEngine, LaunchesEachCopyAndHoldsNoMultiprocessor) {
  Cluster cluster = run_by(algorithms::copy_engine, {.nodes = 1});
  cluster.gpu.launch_latency = 3_us;
  for (const char* name : {"all_gather", "all_to_all"}) {
    for (const double bytes : kSizes) {
      expect_seconds(name, cluster, bytes,
                     kStart + 7 * 3e-6 + kPortLatency + 7 * bytes / 8 / kPort);
    }
    for (const Detail detail : kDetails) {
      const Schedule schedule =
          schedule_of(collective_named(name), cluster, all_ranks(cluster), 1e6, detail);
      EXPECT_EQ(std::ranges::count(schedule.operations, OperationKind::acquire, &Operation::kind),
                0);
    }
  }
}

Cluster summing(const SampleShape& shape) {
  Cluster cluster = run_by(algorithms::sharp, shape);
  cluster.network.sharp = LinkPace{20_us, 0.5};
  return cluster;
}

TEST(Sharp, TakesAPartOfTheBufferUpAndDownEachNic) {
  for (const double bytes : kSizes) {
    const double network = 20e-6 + bytes / 4 / (0.5 * kNicOf);
    expect_seconds("all_reduce", summing({.nodes = 8, .gpus = 1, .nics = 1}), 4 * bytes,
                   kStart + 20e-6 + 4 * bytes / (0.5 * kNicOf));
    // Inside, each GPU sends a quarter to the three others, and gets three quarters back.
    Cluster cluster = summing({.nodes = 8, .gpus = 4, .nics = 4});
    const double inside = 2 * (kPortLatency + 3 * bytes / 4 / kPort);
    expect_seconds("all_reduce", cluster, bytes, kStart + inside + network);
    // Both sums at once.
    cluster.nvlink.nvls = LinkPace{30_us, 0.8};
    const double moving = std::max(bytes / (0.8 * kPort), bytes / 4 / (0.5 * kNicOf));
    expect_seconds("all_reduce", cluster, bytes, kStart + 50e-6 + moving);
  }
}

TEST(Sharp, PassesOneSumOutOfEachLeaf) {
  // 16 nodes on 4 leaves, whose uplinks are an eighth of their 4 NICs: half of a NIC each.
  const Cluster cluster = summing({.nodes = 16,
                                   .gpus = 1,
                                   .nics = 1,
                                   .fabric = &fabrics::fat_tree_2level,
                                   .oversubscription = 8});
  const Topology topology(cluster);
  for (const Detail detail : kDetails) {
    const auto bytes = link_bytes(
        schedule_of(collective_named("all_reduce"), cluster, all_ranks(cluster), 1e6, detail),
        topology);
    for (LinkId link = 0; link < bytes.size(); ++link) {
      const std::string& kind = topology.links()[link].kind;
      const bool used = !kind.starts_with("nvlink");
      EXPECT_NEAR(bytes[link], used ? 1e6 : 0, 1e-3) << topology.links()[link].name;
    }
  }
}

TEST(Sharp, RunsWhereSwitchesAddAlone) {
  const auto runs = [](const Cluster& cluster) {
    return algorithms::sharp.can_run_on(cluster, {.ranks = 16, .nodes = 2});
  };
  EXPECT_TRUE(runs(summing({})));
  EXPECT_FALSE(runs(sample_cluster({})));
}

TEST(Algorithms, SayWhatTheyNeedWhereTheyCannotRunEverywhere) {
  for (const CollectiveAlgorithm* one : all_algorithms()) {
    const bool everywhere =
        one->takes == nullptr && one->most_nodes == std::numeric_limits<int>::max();
    EXPECT_EQ(one->needs.empty(), everywhere) << one->name;
  }
}

}  // namespace
}  // namespace sim
