// SPDX-License-Identifier: Apache-2.0
// Tokens between experts by libraries made for them: what they send, folded against step by step, and
// what binds. NVLink has 400 GB/s and NICs 50 GB/s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/engine/simulate.hpp"
#include "sim/program/lone_groups.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kTokens = 4096, kRow = 7168;  // bytes
constexpr double kTolerance = 1e-6;            // bytes, relative

const CollectiveAlgorithm* const kLibraries[] = {&algorithms::deepep, &algorithms::hybridep,
                                                 &algorithms::deepep_low_latency};

// Of 8 experts chosen at random.
Order dispatch_of(const Cluster& cluster, const CollectiveAlgorithm* algorithm,
                  double tokens = kTokens, double row = kRow) {
  const auto distinct = [](double of) { return of * (1 - std::pow(1 - 1 / of, 8)); };
  const double ranks = rank_count(cluster);
  const bool once = algorithm != nullptr && algorithm->once_to_each_rank;
  const Spread spread{.to_ranks = once ? distinct(ranks) : 8,
                      .to_nodes = distinct(cluster.nodes),
                      .row_bytes = row,
                      .row_values = kRow / 2};
  return {.collective = CollectiveKind::all_to_all,
          .bytes = tokens * spread.to_ranks * row,
          .algorithm = algorithm,
          .spread = spread};
}

Schedule schedule_of(const Cluster& cluster, const Order& order, Detail detail = Detail::folded) {
  ScheduleBuilder builder(rank_count(cluster));
  const Communicator group = make_communicator(cluster, builder, all_ranks(cluster), detail,
                                               {{order.collective, order.algorithm}});
  append(builder, group, order, {});
  return std::move(builder).finish();
}

double time_of(const Cluster& cluster, const Order& order, Detail detail = Detail::folded) {
  return simulate(schedule_of(cluster, order, detail), cluster).makespan_s;
}

Cluster cluster_of(int nodes, int gpus = 4) {
  Cluster cluster = sample_cluster({.nodes = nodes, .gpus = gpus, .nics = gpus});
  cluster.collectives.algorithm = nullptr;
  return cluster;
}

// Checks what each rank sends over NVLink and over the network.
void expect_sent(const Cluster& cluster, const Order& order, double intra, double inter) {
  for (const Detail detail : kDetails) {
    const SentBytes sent = sent_bytes(schedule_of(cluster, order, detail));
    for (std::size_t rank = 0; rank < sent.intra_node.size(); ++rank) {
      EXPECT_NEAR(sent.intra_node[rank], intra, kTolerance * order.bytes);
      EXPECT_NEAR(sent.inter_node[rank], inter, kTolerance * order.bytes);
    }
  }
}

TEST(Tokens, CrossTheNetworkOnceToEachNodeAndNvlinkOnceToEachRank) {
  // Of a token's rows to ranks, one in `gpus` stays on the GPU that passes them on; of its rows to
  // nodes, one in `nodes` stays on its own.
  for (const auto* library : {&algorithms::deepep, &algorithms::hybridep}) {
    for (const int nodes : {1, 2, 4}) {
      for (const int gpus : {1, 4}) {
        if (nodes * gpus == 1) continue;
        const Cluster cluster = cluster_of(nodes, gpus);
        const Order order = dispatch_of(cluster, library);
        SCOPED_TRACE(testing::Message() << library->name << ' ' << nodes << " nodes of " << gpus);
        expect_sent(cluster, order, order.bytes * (gpus - 1) / gpus,
                    kTokens * order.spread.to_nodes * kRow * (nodes - 1) / nodes);
      }
    }
  }
}

TEST(Tokens, GoStraightToEachExpertByNcclAndWithLowLatency) {
  for (const auto* library :
       {static_cast<const CollectiveAlgorithm*>(nullptr), &algorithms::deepep_low_latency}) {
    const Cluster cluster = cluster_of(4);
    const double row = kTokens * 8 * kRow / 16;  // to each rank
    expect_sent(cluster, dispatch_of(cluster, library), 3 * row, 12 * row);
  }
}

TEST(Tokens, ThatGoToOneRankSendWhatEachRankWould) {
  const Cluster cluster = cluster_of(4);
  Order order = dispatch_of(cluster, &algorithms::deepep);
  order.spread = {.to_ranks = 1, .to_nodes = 1};
  expect_sent(cluster, order, order.bytes * 3 / 4, order.bytes * 3 / 4);
}

TEST(Tokens, TakeFoldedAsLongAsStepByStep) {
  for (const auto* library : kLibraries) {
    for (const int nodes : {1, 2, 4}) {
      for (const int multiprocessors : {0, 1}) {
        const Cluster cluster = cluster_of(nodes);
        Order order = dispatch_of(cluster, library);
        order.multiprocessors = multiprocessors;
        const double steps = time_of(cluster, order, Detail::step_by_step);
        EXPECT_NEAR(time_of(cluster, order) / steps, 1, 1e-3) << library->name << ' ' << nodes;
      }
    }
  }
}

TEST(Tokens, OfRanksThatStandForOthersTakeAsLong) {
  for (const auto* library : kLibraries) {
    const Cluster cluster = cluster_of(4);
    const Topology topology(cluster);
    const LoneGroups groups(topology, {all_ranks(cluster)}, {{CollectiveKind::all_to_all, library}},
                            Detail::folded);
    const Order order = dispatch_of(cluster, library);
    const LoneGroups::Alone alone = groups.run(order, "dispatch");
    EXPECT_LT(alone.collective.schedule.ranks, rank_count(cluster));
    EXPECT_EQ(alone.collective.algorithm, library->name);
    const double seconds =
        simulate_to_end(alone.collective.schedule, alone.wiring, "dispatch").makespan_s;
    EXPECT_NEAR(seconds / time_of(cluster, order), 1, 1e-6) << library->name;
  }
}

TEST(Tokens, AreNeverSlowerWithMoreMultiprocessors) {
  for (const auto* library : {&algorithms::deepep, &algorithms::hybridep}) {
    for (const int nodes : {1, 2}) {
      const Cluster cluster = cluster_of(nodes);
      Order order = dispatch_of(cluster, library);
      double least = 1;
      for (int multiprocessors = 1; multiprocessors <= 64; multiprocessors *= 2) {
        order.multiprocessors = multiprocessors;
        const double time = time_of(cluster, order);
        EXPECT_LE(time, least * (1 + 1e-9));
        least = time;
      }
    }
  }
}

TEST(Tokens, TakeTheSlowestOfTheirLinksAndTheMultiprocessors) {
  // Between two doublings of a large buffer only rates count.
  const auto rate = [](const Cluster& cluster, int multiprocessors, double row) {
    const auto time = [&](double tokens) {
      Order order = dispatch_of(cluster, &algorithms::deepep, tokens, row);
      order.multiprocessors = multiprocessors;
      return time_of(cluster, order);
    };
    return (time(1 << 20) - time(1 << 19)) / (1 << 19);  // seconds a token
  };
  const Cluster cluster = cluster_of(2);
  const Spread spread = dispatch_of(cluster, &algorithms::deepep).spread;
  EXPECT_NEAR(rate(cluster, 90, kRow) / (spread.to_nodes / 2 * kRow / 50e9), 1, 1e-3);
  // With few SMs, these: half of them take twice as long, and a row of half the bytes more than half.
  EXPECT_NEAR(rate(cluster, 1, kRow) / rate(cluster, 2, kRow), 2, 1e-3);
  EXPECT_GT(rate(cluster, 1, kRow / 2) / rate(cluster, 1, kRow), 0.6);
}

TEST(Tokens, TakeTimeForEachMessageOfANetworkThatDoes) {
  constexpr double kMessage = 1e-6, kMore = 1 << 19;
  for (const auto* library : kLibraries) {
    for (const int nodes : {1, 2, 4}) {
      Cluster cluster = cluster_of(nodes);
      const auto longer = [&](double tokens) {
        Order order = dispatch_of(cluster, library, tokens);
        order.multiprocessors = 1024;  // that copying is no slower than links
        cluster.network.message = {};
        const double free = time_of(cluster, order);
        cluster.network.message = Seconds::from_base(kMessage);
        return time_of(cluster, order) - free;
      };
      const Spread spread = dispatch_of(cluster, library).spread;
      const double rows = library->once_to_each_rank ? spread.to_nodes : spread.to_ranks;
      EXPECT_NEAR((longer(2 * kMore) - longer(kMore)) / kMore,
                  rows * (nodes - 1) / nodes * kMessage, 1e-3 * kMessage)
          << library->name << ' ' << nodes;
    }
  }
}

TEST(Tokens, HoldTheMultiprocessorsOfTheirLibrary) {
  const Cluster cluster = cluster_of(2);
  const auto held = [&](const CollectiveAlgorithm* library, int multiprocessors) {
    Order order = dispatch_of(cluster, library);
    order.multiprocessors = multiprocessors;
    const Schedule schedule = schedule_of(cluster, order);
    const auto found =
        std::ranges::find(schedule.operations, OperationKind::acquire, &Operation::kind);
    if (found == schedule.operations.end()) return 0.0;
    return schedule.occupancies[found->occupancy].multiprocessor_share *
           cluster.gpu.multiprocessors;
  };
  EXPECT_NEAR(held(&algorithms::deepep, 0), algorithms::deepep.multiprocessors, 1e-9);
  EXPECT_NEAR(held(&algorithms::hybridep, 8), 8, 1e-9);
  EXPECT_EQ(held(&algorithms::deepep_low_latency, 0), 0);
  EXPECT_NEAR(held(nullptr, 0), cluster.collectives.channels, 1e-9);
}

TEST(Tokens, RunByALibraryOnlyWhereItIsNamed) {
  const Cluster cluster = cluster_of(2);
  ScheduleBuilder builder(rank_count(cluster));
  const Order order = dispatch_of(cluster, &algorithms::deepep);
  Order by_nccl = order;
  by_nccl.algorithm = nullptr;
  const Communicator both = make_communicator(
      cluster, builder, all_ranks(cluster), Detail::folded,
      {CollectiveKind::all_to_all, {CollectiveKind::all_to_all, &algorithms::deepep}});
  EXPECT_EQ(choose(both, order).laid->algorithm, &algorithms::deepep);
  EXPECT_EQ(choose(both, by_nccl).laid->algorithm, &algorithms::pairwise);
  const Communicator one = make_communicator(cluster, builder, all_ranks(cluster), Detail::folded,
                                             {{CollectiveKind::all_to_all, &algorithms::deepep}});
  EXPECT_THROW(static_cast<void>(choose(one, by_nccl)), std::logic_error);
}

TEST(Tokens, TakeLongerToAddThanToCopy) {
  const Cluster cluster = cluster_of(2);
  Order order = dispatch_of(cluster, &algorithms::deepep);
  order.multiprocessors = 4;
  const double copy = time_of(cluster, order);
  order.spread.sums = true;
  EXPECT_GT(time_of(cluster, order), copy);
}

}  // namespace
}  // namespace sim
