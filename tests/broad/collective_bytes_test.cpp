// SPDX-License-Identifier: Apache-2.0
// Closed forms of what each collective puts on the wire: for n ranks on N nodes of G GPUs, in both
// forms and on every fabric.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kBytes = 1 << 24;
constexpr double kTolerance = 1e-6;  // bytes, of 16 MiB

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Runs a check for 1, 2, 4 and 8 nodes of 1, 2, 4 and 8 GPUs that have a NIC each or share one in
// pairs, in both forms.
class CollectiveBytes : public testing::TestWithParam<const NetworkFabric*> {
 protected:
  template <class Check>
  void for_each_shape(Check check) const {
    for (const int nodes : {1, 2, 4, 8}) {
      for (const int gpus : {1, 2, 4, 8}) {
        for (const int nics : {gpus, (gpus + 1) / 2}) {
          SCOPED_TRACE(testing::Message()
                       << nodes << " nodes of " << gpus << " GPUs and " << nics << " NICs");
          check(sample_cluster({.nodes = nodes,
                                .gpus = gpus,
                                .nics = nics,
                                .fabric = GetParam(),
                                .oversubscription = 2,
                                .nodes_per_leaf = 2,
                                .pod_oversubscription = 2}));
        }
      }
    }
  }
  // The sent bytes of a collective over all ranks, in both forms.
  template <class Check>
  void for_each_sent(const CollectiveRow& row, Check check) const {
    for_each_shape([&](const Cluster& cluster) {
      for (const Detail detail : kDetails) {
        SCOPED_TRACE(detail == Detail::folded ? "folded" : "step by step");
        const Schedule schedule = schedule_of(row, cluster, all_ranks(cluster), kBytes, detail);
        check(cluster, sent_bytes(schedule));
      }
    });
  }
};

TEST_P(CollectiveBytes, EachRankOfARingSendsAllButOneNthARound) {
  for (const CollectiveRow& row : all_collectives()) {
    if (!algorithms::ring.can_run(row.collective)) continue;
    SCOPED_TRACE(row.name);
    for_each_sent(row, [&](const Cluster& cluster, const SentBytes& sent) {
      const double n = rank_count(cluster);
      for (std::size_t rank = 0; rank < sent.intra_node.size(); ++rank) {
        EXPECT_NEAR(sent.intra_node[rank] + sent.inter_node[rank],
                    row.rounds * (n - 1) / n * kBytes, kTolerance);
      }
    });
  }
}

TEST_P(CollectiveBytes, ARingLeavesEachNodeOnce) {
  // Of G hops that leave a node's GPUs one is over the network, where there is more than one node.
  for (const CollectiveRow& row : all_collectives()) {
    if (!algorithms::ring.can_run(row.collective)) continue;
    SCOPED_TRACE(row.name);
    for_each_sent(row, [&](const Cluster& cluster, const SentBytes& sent) {
      const double n = rank_count(cluster);
      const double leaving = cluster.nodes > 1 ? cluster.nodes : 0;
      const double each = row.rounds * (n - 1) / n * kBytes;
      EXPECT_NEAR(sum(sent.inter_node), leaving * each, kTolerance * n);
      EXPECT_NEAR(sum(sent.intra_node), (n - leaving) * each, kTolerance * n);
      for (const double bytes : sent.inter_node) {  // 8 channels: the GPUs take turns
        EXPECT_NEAR(bytes, leaving * each / n, kTolerance);
      }
    });
  }
}

TEST_P(CollectiveBytes, AllToAllSendsOneNthToEachOther) {
  // n-G of the peers are on other nodes. On rails, a message to one of the N-1 (G - sharers) GPUs
  // there with another NIC first crosses NVLink, and leaves from the GPU that passes it on.
  const CollectiveRow& row = collective_named("all_to_all");
  for_each_sent(row, [&](const Cluster& cluster, const SentBytes& sent) {
    const double n = rank_count(cluster);
    const double gpus = cluster.gpus_per_node;
    const double sharers = gpus / cluster.network.nics_per_node;
    const bool rails = GetParam() == &fabrics::rail_optimized;
    const double relayed = rails ? (cluster.nodes - 1) * (gpus - sharers) : 0;
    for (std::size_t rank = 0; rank < sent.intra_node.size(); ++rank) {
      EXPECT_NEAR(sent.intra_node[rank], (gpus - 1 + relayed) * kBytes / n, kTolerance);
      if (rails && sharers > 1) continue;
      EXPECT_NEAR(sent.inter_node[rank], (n - gpus) * kBytes / n, kTolerance);
    }
    EXPECT_NEAR(sum(sent.inter_node), n * (n - gpus) * kBytes / n, kTolerance * n);
  });
}

TEST_P(CollectiveBytes, EachNicCarriesItsShare) {
  // 8 channels, in turn over 1, 2, 4 or 8 NICs; all pairs, evenly over the GPUs.
  for (const CollectiveRow& row : all_collectives()) {
    SCOPED_TRACE(row.name);
    // These pass from each rank to the next one: one of a node's GPUs sends to another node.
    if (row.collective == CollectiveKind::broadcast) continue;
    if (row.collective == CollectiveKind::send_receive) continue;
    for_each_shape([&](const Cluster& cluster) {
      const Topology topology(cluster);
      const Schedule schedule =
          schedule_of(row, cluster, all_ranks(cluster), kBytes, Detail::folded);
      const double leaving = sum(sent_bytes(schedule).inter_node);
      const std::vector<double> bytes = link_bytes(schedule, topology);
      for (LinkId link = 0; link < topology.links().size(); ++link) {
        if (topology.links()[link].name.rfind("nic_", 0) != 0) continue;
        EXPECT_NEAR(bytes[link], leaving / (cluster.nodes * cluster.network.nics_per_node), 1e-3)
            << topology.links()[link].name;
      }
    });
  }
}

TEST_P(CollectiveBytes, TwoLevelAllToAllSendsOneGthOfTheBufferBetweenNodes) {
  // First among the G GPUs of a node, (G-1)/G of the buffer; then what each rank has reduced, 1/G
  // of it, among its N peers on the same rail.
  const CollectiveRow& row = collective_named("all_to_all");
  for_each_shape([&](const Cluster& cluster) {
    const double gpus = cluster.gpus_per_node, nodes = cluster.nodes;
    std::map<int, std::vector<int>> on_node, on_rail;
    for (const int rank : all_ranks(cluster)) {
      on_node[node_of(cluster, rank)].push_back(rank);
      on_rail[gpu_of(cluster, rank)].push_back(rank);
    }
    for (const Detail detail : kDetails) {
      for (const auto& [node, ranks] : on_node) {
        const SentBytes sent = sent_bytes(schedule_of(row, cluster, ranks, kBytes, detail));
        for (const int rank : ranks) {
          EXPECT_NEAR(sent.intra_node[static_cast<std::size_t>(rank)], (gpus - 1) / gpus * kBytes,
                      kTolerance);
        }
        EXPECT_EQ(sum(sent.inter_node), 0);
      }
      for (const auto& [gpu, ranks] : on_rail) {
        const SentBytes sent = sent_bytes(schedule_of(row, cluster, ranks, kBytes / gpus, detail));
        for (const int rank : ranks) {
          EXPECT_NEAR(sent.inter_node[static_cast<std::size_t>(rank)],
                      (nodes - 1) / nodes * kBytes / gpus, kTolerance);
        }
        EXPECT_EQ(sum(sent.intra_node), 0);
      }
    }
  });
}

TEST_P(CollectiveBytes, AMessageIsSentOnce) {
  for_each_shape([&](const Cluster& cluster) {
    for (int to = 1; to < rank_count(cluster); ++to) {
      ScheduleBuilder builder(rank_count(cluster));
      send(cluster, builder, {.source = 0, .destination = to, .bytes = kBytes}, {});
      const SentBytes sent = sent_bytes(std::move(builder).finish());
      const bool inside = node_of(cluster, to) == 0;
      const bool relayed = !inside && GetParam() == &fabrics::rail_optimized &&
                           nic_of(cluster, to) != nic_of(cluster, 0);
      EXPECT_EQ(sum(sent.inter_node), inside ? 0 : kBytes);
      EXPECT_EQ(sum(sent.intra_node), inside || relayed ? kBytes : 0);
      EXPECT_EQ(sent.intra_node[0] + sent.inter_node[0], kBytes);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Fabric, CollectiveBytes, testing::ValuesIn(all_network_fabrics()),
                         [](const auto& param_info) {
                           return std::string(param_info.param->name);
                         });

TEST(CollectiveAlgorithm, SendsWhatItsClosedFormSays) {
  for (const CollectiveRow& row : all_collectives()) {
    for (const int nodes : {1, 2, 5}) {
      Cluster cluster = sample_cluster({.nodes = nodes, .gpus = 4, .nics = 2});
      cluster.network.sharp = LinkPace{1_us, 1};
      const int ranks = rank_count(cluster);
      for (const CollectiveAlgorithm* algorithm : all_algorithms()) {
        const GroupShape shape{.ranks = ranks, .nodes = nodes};
        if (!algorithm->can_run(row.collective) || !algorithm->can_run_on(cluster, shape)) continue;
        cluster.collectives.algorithm = algorithm;
        const double share = algorithm->sent(row.collective, ranks, nodes);
        for (const Detail detail : kDetails) {
          const SentBytes sent =
              sent_bytes(schedule_of(row, cluster, all_ranks(cluster), kBytes, detail));
          EXPECT_NEAR(sum(sent.intra_node) + sum(sent.inter_node), ranks * share * kBytes,
                      kTolerance * ranks)
              << row.name << " by " << algorithm->name << " on " << nodes << " nodes";
        }
      }
    }
  }
}

TEST(CollectiveAlgorithm, RunsWhatItWasLaidOutForOnly) {
  const Cluster cluster = sample_cluster({.nodes = 2});
  ScheduleBuilder builder(rank_count(cluster));
  const Communicator group =
      make_communicator(cluster, builder, all_ranks(cluster), Detail::folded, gathers_and_sums());
  EXPECT_THROW(all_to_all(builder, group, kBytes, {}), std::logic_error);
}

TEST(Collective, UsesEveryLinkOfAFullMesh) {
  // 8 rings of 4 hops over 12 links: 2 or 3 each, where one order for all would load 4 links
  // with 8.
  const Cluster cluster = sample_cluster({.nodes = 1, .gpus = 4, .nvlink = &fabrics::full_mesh});
  const Topology topology(cluster);
  for (const Detail detail : kDetails) {
    const Schedule schedule =
        schedule_of(collective_named("all_gather"), cluster, all_ranks(cluster), kBytes, detail);
    const std::vector<double> bytes = link_bytes(schedule, topology);
    const double ring = 0.75 * kBytes / 8;
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        if (from == to) continue;
        const std::vector<LinkId> crossed = topology.way({.source = from, .destination = to}).links;
        EXPECT_GE(bytes[crossed.front()], 2 * ring - kTolerance) << from << " to " << to;
        EXPECT_LE(bytes[crossed.front()], 3 * ring + kTolerance) << from << " to " << to;
      }
    }
  }
}

TEST(Collective, PassesOnInARingWhatHasArrived) {
  // Every flow but a ring's first waits for the same rank's last one and for what came to it.
  const Cluster cluster = sample_cluster({.nodes = 2, .gpus = 4, .nics = 4});
  const Schedule schedule = schedule_of(collective_named("all_gather"), cluster, all_ranks(cluster),
                                        kBytes, Detail::step_by_step);
  const auto hop_of = [&](const Operation& flow) { return schedule.routes[flow.route].hops.at(0); };
  int passing_on = 0;
  for (const Operation& flow : schedule.operations) {
    if (flow.kind != OperationKind::flow) continue;
    int own = 0;
    int arrived = 0;
    for (const OperationId id : schedule.dependencies_of(flow)) {
      const Operation& earlier = schedule.operations[id];
      if (earlier.kind != OperationKind::flow) continue;
      own += hop_of(earlier) == hop_of(flow) ? 1 : 0;
      arrived += hop_of(earlier).destination == hop_of(flow).source ? 1 : 0;
    }
    EXPECT_EQ(own, arrived);
    passing_on += arrived;
  }
  // Per ring 7 steps of 8 ranks, of which the first step has nothing to wait for.
  EXPECT_EQ(passing_on % (6 * 8), 0);
  EXPECT_GT(passing_on, 0);
}

TEST(Collective, OfOneRankOrOfNoBytesDoesNothing) {
  const Cluster cluster = sample_cluster({.nodes = 2});
  for (const CollectiveRow& row : all_collectives()) {
    for (const Detail detail : kDetails) {
      EXPECT_TRUE(schedule_of(row, cluster, {3}, kBytes, detail).operations.empty()) << row.name;
      EXPECT_TRUE(schedule_of(row, cluster, {3, 9}, 0, detail).operations.empty()) << row.name;
    }
  }
  ScheduleBuilder builder(16);
  all_reduce_scalar(cluster, builder, make_communicator(cluster, builder, {3}), {});
  EXPECT_TRUE(std::move(builder).finish().operations.empty());
}

TEST(Collective, ScalarsTakeNoBandwidth) {
  const Cluster cluster = sample_cluster({.nodes = 2});
  ScheduleBuilder builder(16);
  all_reduce_scalar(cluster, builder, make_communicator(cluster, builder, all_ranks(cluster)), {});
  const SentBytes sent = sent_bytes(std::move(builder).finish());
  EXPECT_EQ(sum(sent.intra_node) + sum(sent.inter_node), 0);
}

TEST(Collective, HasOneMemberForEachOfItsRanks) {
  const Cluster cluster = sample_cluster({.nodes = 2});
  const std::vector<int> ranks{1, 4, 9, 12};
  for (const CollectiveRow& row : all_collectives()) {
    for (const Detail detail : kDetails) {
      const Schedule schedule = schedule_of(row, cluster, ranks, kBytes, detail);
      std::vector<int> members;
      for (const Operation& operation : schedule.operations) {
        if (operation.kind != OperationKind::member) continue;
        members.push_back(operation.rank);
        EXPECT_EQ(operation.stream, Stream::weights);
        EXPECT_EQ(schedule.labels[operation.label], row.name);
      }
      EXPECT_EQ(members, ranks) << row.name;
    }
  }
}

TEST(Collective, RefusesRanksOutOfOrder) {
  const Cluster cluster = sample_cluster({.nodes = 2});
  ScheduleBuilder builder(16);
  EXPECT_THROW(static_cast<void>(make_communicator(cluster, builder, {4, 1})), std::logic_error);
}

}  // namespace
}  // namespace sim
