// SPDX-License-Identifier: Apache-2.0
// Protocols and sums in the switch: closed forms on idle links, and the choice among them.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/collectives/collective_rows.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr LinkPace kLl{1_us, 0.1}, kLl128{2_us, 0.5}, kNvls{30_us, 0.8};

// NVLink of 400 GB/s, and a NIC of 50 GB/s for each GPU.
Cluster with_protocols(int nodes, int gpus = 8) {
  Cluster cluster = sample_cluster({.nodes = nodes, .gpus = gpus, .nics = gpus});
  cluster.nvlink.ll = kLl;
  cluster.nvlink.ll128 = kLl128;
  cluster.network.ll = LinkPace{3_us, 0.2};
  cluster.network.ll128 = LinkPace{4_us, 0.8};
  cluster.collectives.ll_launch = 4_us;
  cluster.collectives.ll128_launch = 6_us;
  cluster.collectives.algorithm = nullptr;
  return cluster;
}

double time_of(std::string_view collective, const Cluster& cluster, double bytes,
               Detail detail = Detail::folded) {
  const CollectiveRow& row = collective_named(collective);
  return simulate(schedule_of(row, cluster, all_ranks(cluster), bytes, detail), cluster).makespan_s;
}

Cluster by(Cluster cluster, std::optional<Protocol> protocol,
           const CollectiveAlgorithm* algorithm = nullptr) {
  cluster.collectives.protocol = protocol;
  cluster.collectives.algorithm = algorithm;
  return cluster;
}

TEST(Protocol, TakesLaunchStepsAndItsShareOfTheBandwidth) {
  const Cluster cluster = with_protocols(1);
  for (const double bytes : {1e3, 1e6, 1e9}) {
    const double sent = 2 * 7.0 / 8 * bytes / 400e9;
    const auto time = [&](Protocol protocol) {
      return time_of("all_reduce", by(cluster, protocol, &algorithms::ring), bytes);
    };
    EXPECT_NEAR(time(Protocol::ll), 4e-6 + 14 * 1e-6 + sent / 0.1, 1e-3 * time(Protocol::ll));
    EXPECT_NEAR(time(Protocol::ll128), 6e-6 + 14 * 2e-6 + sent / 0.5, 1e-3 * time(Protocol::ll128));
    EXPECT_NEAR(time(Protocol::simple), 10e-6 + 14 * 2e-6 + sent, 1e-3 * time(Protocol::simple));
  }
}

// Of the SMs that the collective holds from its begin on.
double channels_of(const Cluster& cluster, double bytes) {
  const Schedule schedule = schedule_of(collective_named("all_reduce"), cluster, all_ranks(cluster),
                                        bytes, Detail::folded);
  const auto begin =
      std::ranges::find(schedule.operations, OperationKind::acquire, &Operation::kind);
  const auto end = std::ranges::find(schedule.operations, OperationKind::release, &Operation::kind);
  EXPECT_EQ(begin->occupancy, end->occupancy);
  return schedule.occupancies[begin->occupancy].multiprocessor_share * cluster.gpu.multiprocessors;
}

TEST(Protocol, TakesTheChannelsThatItsBytesFill) {
  Cluster cluster = with_protocols(1);
  cluster.gpu.multiprocessors = 128;
  cluster.collectives.channels = 16;
  const auto channels = [&](Protocol protocol, double bytes) {
    return channels_of(by(cluster, protocol, &algorithms::ring), bytes);
  };
  for (const auto& [protocol, filled] : {std::pair{Protocol::ll, 4096.0 * 8},
                                         {Protocol::ll128, 5120.0},
                                         {Protocol::simple, 32768.0}}) {
    EXPECT_NEAR(channels(protocol, 1), 1, 1e-9);
    EXPECT_NEAR(channels(protocol, 3.5 * filled), 3, 1e-9);
    EXPECT_NEAR(channels(protocol, 100 * filled), 16, 1e-9);
  }
}

TEST(Protocol, IsTheFastestOneUnlessAsked) {
  for (const int nodes : {1, 4}) {
    Cluster cluster = with_protocols(nodes);
    cluster.nvlink.nvls = kNvls;
    for (const CollectiveRow& row : all_collectives()) {
      for (const double bytes : {1e3, 1e5, 1e7}) {
        double least = 1;
        const GroupShape shape{.ranks = rank_count(cluster), .nodes = nodes};
        for (const auto* algorithm : algorithms_for(cluster, row.collective, shape)) {
          for (const Protocol protocol : kProtocols) {
            least = std::min(least, time_of(row.name, by(cluster, protocol, algorithm), bytes));
          }
        }
        const double time = time_of(row.name, cluster, bytes);
        EXPECT_NEAR(time, least, 1e-3 * least) << row.name << " of " << bytes << " on " << nodes;
      }
    }
  }
}

TEST(Protocol, IsNotUsedWhereItIsUnknown) {
  Cluster cluster = with_protocols(2);
  cluster.network.ll.reset();
  const auto how = [&](const Cluster& on, double bytes) {
    const std::vector<int> ranks = all_ranks(on);
    return run_alone(collective_named("all_gather"), on, {&ranks, 1}, bytes, Detail::folded,
                     Buffers::in_place);
  };
  EXPECT_EQ(how(cluster, 100).protocol, "ll128");
  EXPECT_EQ(how(by(cluster, Protocol::ll), 100).protocol, "ll128");
  cluster.collectives.ll128_launch.reset();
  EXPECT_EQ(how(cluster, 100).protocol, "simple");
}

TEST(Protocol, FoldsAsItRunsStepByStep) {
  for (const int nodes : {1, 2, 4}) {
    for (const auto* algorithm : {&algorithms::ring, &algorithms::tree}) {
      for (const Protocol protocol : kProtocols) {
        const Cluster cluster = by(with_protocols(nodes, 4), protocol, algorithm);
        const double folded = time_of("all_reduce", cluster, 3e6);
        EXPECT_NEAR(folded, time_of("all_reduce", cluster, 3e6, Detail::step_by_step),
                    1e-3 * folded)
            << algorithm->name << " on " << nodes << " nodes";
      }
    }
  }
}

TEST(Nvls, PassesTheBufferOnceThroughEachPort) {
  Cluster cluster = by(with_protocols(1), std::nullopt, &algorithms::nvls);
  cluster.nvlink.nvls = kNvls;
  const double bytes = 1e9;
  EXPECT_NEAR(time_of("all_reduce", cluster, bytes), 40e-6 + bytes / (0.8 * 400e9), 1e-6);
}

TEST(Nvls, CutsSmallerBuffersIntoSmallerChunks) {
  // 16 channels with a chunk of each of 8 GPUs: 128 at once.
  Cluster cluster = by(with_protocols(1), std::nullopt, &algorithms::nvls);
  cluster.nvlink.nvls = kNvls;
  cluster.nvlink.sums.chunk_overhead = {16 * 1024};
  constexpr double kMiB = 1 << 20;
  struct Case {
    double bytes, overhead;  // of a byte in such chunks
  };
  for (const Case& one :
       {Case{7 * kMiB, 1.0}, Case{9 * kMiB, 0.5}, Case{63 * kMiB, 0.5}, Case{65 * kMiB, 0.25},
        Case{1023 * kMiB, 0.25}, Case{1025 * kMiB, 0.125}}) {
    const double moving_s = one.bytes / (0.8 * 400e9) * (1 + one.overhead);
    EXPECT_NEAR(time_of("all_reduce", cluster, one.bytes), 40e-6 + moving_s, 1e-3 * moving_s)
        << one.bytes / kMiB << " MiB";
  }
}

TEST(Pairwise, GivesLargeMessagesMoreChannels) {
  // Three messages on 8 of 32 channels each. On 16, two parts follow each other on a channel; on 32,
  // three do on all of them.
  Cluster cluster = by(with_protocols(1, 4), Protocol::simple);
  cluster.nvlink.pairs_channel_efficiency = 0.03;
  constexpr double kMessage = 128 << 20;
  const auto rate = [&](double message) {
    const double moving_s = time_of("all_to_all", cluster, 4 * message) - 12e-6;
    return 3 * message / moving_s / 400e9;
  };
  EXPECT_NEAR(rate(kMessage), 24 * 0.03, 1e-3);
  EXPECT_NEAR(rate(2 * kMessage), 24 * 0.03, 1e-3);
  EXPECT_NEAR(rate(2 * kMessage + 4096), 32 * 0.03, 1e-3);
}

TEST(Nvls, PaysFromFiveGpusOn) {
  const auto algorithm = [](int gpus) {
    Cluster cluster = with_protocols(1, gpus);
    cluster.nvlink.nvls = kNvls;
    const std::vector<int> ranks = all_ranks(cluster);
    return run_alone(collective_named("all_reduce"), cluster, {&ranks, 1}, 1e9, Detail::folded,
                     Buffers::in_place)
        .algorithm;
  };
  EXPECT_EQ(algorithm(4), "ring");
  EXPECT_EQ(algorithm(8), "nvls");
}

TEST(NvlsTree, SendsABufferBetweenTwoNodes) {
  // Each of eight NICs carries an eighth of the buffer, half of it up and half of it down.
  Cluster cluster = by(with_protocols(2), std::nullopt, &algorithms::nvls_tree);
  cluster.nvlink.nvls = kNvls;
  cluster.network.nic_bandwidth = 25_GBps;
  const double bytes = 4e9;
  EXPECT_NEAR(time_of("all_reduce", cluster, bytes), bytes / 8 / 25e9, 2e-4);
}

TEST(Transports, AreReadByName) {
  for (const NcclTransport* one : nvlink_transports()) {
    EXPECT_TRUE(one->launch) << one->name;
    EXPECT_EQ(one->ll.has_value(), one->ll_launch.has_value()) << one->name;
    EXPECT_EQ(one->ll128.has_value(), one->ll128_launch.has_value()) << one->name;
    if (!one->pairs) continue;
    EXPECT_LE(one->pairs->efficiency, one->simple.efficiency) << one->name;
  }
  for (const auto rows : {nvlink_transports(), network_transports()}) {
    for (const NcclTransport* one : rows) {
      EXPECT_FALSE(one->summary.empty() || one->source.empty()) << one->name;
      for (const auto& pace : {one->ll, one->ll128, one->nvls, one->pairs, one->ll_pairs}) {
        EXPECT_TRUE(!pace || (pace->efficiency > 0 && pace->efficiency <= 1)) << one->name;
      }
    }
  }
}

}  // namespace
}  // namespace sim
