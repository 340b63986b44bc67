// SPDX-License-Identifier: Apache-2.0
// An algorithm and a protocol that are asked for: the groups that are said to take them do, and no
// others.
#include "sim/collectives/asked.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/listed.hpp"
#include "tests/input_errors.hpp"
#include "tests/schedule/fold_grid.hpp"

namespace sim {
namespace {

// Of one node, of three whole ones, of one GPU a node, and uneven.
std::vector<std::vector<int>> groups_to_ask() {
  std::vector<int> all;
  for (int rank = 0; rank < 12; ++rank) all.push_back(rank);
  return {{0, 1, 2, 3}, all, {1, 5, 9}, {0, 1, 2, 4}};
}

Cluster cluster_to_ask() {
  Cluster cluster = sample_cluster({.nodes = 3, .gpus = 4, .nics = 4});
  add_protocols(cluster);
  return cluster;
}

AskedOutcome outcome_of(const Cluster& cluster, const std::vector<std::vector<int>>& groups,
                        const Uses& collectives) {
  std::vector<GroupUse> uses;
  for (const std::vector<int>& ranks : groups) add_uses(cluster, ranks, collectives, uses);
  return asked_outcome(cluster, uses);
}

Choice choice_of(const Cluster& cluster, const std::vector<int>& ranks, CollectiveKind collective) {
  ScheduleBuilder builder(rank_count(cluster));
  static std::vector<Communicator> kept;  // a choice points into it
  kept.assign(1, make_communicator(cluster, builder, ranks, Detail::folded, {collective}));
  return choose(kept.front(), {.collective = collective, .bytes = 1e6});
}

TEST(Asked, AlgorithmsAreTakenRefusedOrNotTheirs) {
  Cluster cluster = cluster_to_ask();
  for (const CollectiveAlgorithm* algorithm : all_algorithms()) {
    cluster.collectives.algorithm = algorithm;
    for (const CollectiveRow& row : all_collectives()) {
      for (const std::vector<int>& ranks : groups_to_ask()) {
        SCOPED_TRACE(testing::Message() << algorithm->name << ' ' << row.name << " of "
                                        << ranks.size() << " on " << count_nodes(cluster, ranks));
        const AskedOutcome outcome = outcome_of(cluster, {ranks}, {row.collective});
        const bool taken = choice_of(cluster, ranks, row.collective).laid->algorithm == algorithm;
        const bool runs = algorithm->can_run(row.collective);
        EXPECT_EQ(outcome.refusals.size(), runs && !taken ? 1U : 0U);
        EXPECT_EQ(outcome.exceptions.size(), runs ? 0U : 1U);
        const std::string& takers = outcome.takers.at("collectives.algorithm");
        EXPECT_EQ(takers.ends_with(": every collective"), taken) << takers;
      }
    }
  }
}

TEST(Asked, ProtocolsAreTakenOrRefused) {
  Cluster cluster = cluster_to_ask();
  int refused = 0;
  for (const Protocol protocol : kProtocols) {
    cluster.collectives.protocol = protocol;
    for (const CollectiveRow& row : all_collectives()) {
      for (const std::vector<int>& ranks : groups_to_ask()) {
        const AskedOutcome outcome = outcome_of(cluster, {ranks}, {row.collective});
        const bool taken = choice_of(cluster, ranks, row.collective).protocol == protocol;
        EXPECT_EQ(outcome.refusals.empty(), taken) << row.name;
        EXPECT_TRUE(outcome.exceptions.empty());
        refused += taken ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refused, 0) << "LL128 is of no all_to_all";
}

TEST(Asked, ForSomeGroupsAloneAreExceptionsThatNameTheOthers) {
  Cluster cluster = cluster_to_ask();
  cluster.collectives.algorithm = &algorithms::pat;
  const Uses gathers{CollectiveKind::all_gather};
  const AskedOutcome mixed = outcome_of(cluster, groups_to_ask(), gathers);
  EXPECT_TRUE(mixed.refusals.empty());
  ASSERT_EQ(mixed.exceptions.size(), 1U);
  EXPECT_NE(mixed.exceptions[0].find("all_gather of 4 GPUs of one node or 12 GPUs on 3 nodes or 4 "
                                     "GPUs spread unevenly on 2 nodes"),
            std::string::npos)
      << mixed.exceptions[0];
  EXPECT_NE(mixed.exceptions[0].find("pat needs one GPU of each of several nodes"),
            std::string::npos);
  EXPECT_TRUE(mixed.takers.at("collectives.algorithm")
                  .starts_with("pat: all_gather of 3 GPUs on 3 nodes; as by auto: all_gather of"));
}

TEST(Asked, GroupsOfAShapeCountOnceAndThoseOfOneRankNever) {
  const Cluster cluster = cluster_to_ask();
  std::vector<GroupUse> uses;
  for (const std::vector<int>& ranks : {std::vector<int>{0, 4}, {1, 5}, {3, 11}, {7}}) {
    add_uses(cluster, ranks, gathers_and_sums(), uses);
  }
  EXPECT_EQ(uses.size(), gathers_and_sums().size());
}

TEST(Asked, NothingIsSaidWhereNothingIsAskedFor) {
  const AskedOutcome outcome = outcome_of(cluster_to_ask(), groups_to_ask(), every_collective());
  EXPECT_TRUE(outcome.refusals.empty() && outcome.exceptions.empty() && outcome.takers.empty());
}

bool is_listed(const Cluster& cluster, CollectiveKind collective, const Choice& choice) {
  return is_enabled(*cluster.collectives.algorithms, collective, *choice.laid->algorithm);
}

TEST(Asked, ListsAreTakenOrRefused) {
  int taken_by = 0, refused = 0;
  for (const char* text :
       {"Ring,Tree", "^Ring", "tree;allgather:ring", "nvls", "^tree,ring,nvls"}) {
    Cluster cluster = cluster_to_ask();
    cluster.collectives.algorithms = parse_nccl_list(text, kNcclAlgorithms).list;
    for (const CollectiveRow& row : all_collectives()) {
      for (const std::vector<int>& ranks : groups_to_ask()) {
        SCOPED_TRACE(testing::Message() << text << ' ' << row.name << " of " << ranks.size());
        const AskedOutcome outcome = outcome_of(cluster, {ranks}, {row.collective});
        const bool taken =
            is_listed(cluster, row.collective, choice_of(cluster, ranks, row.collective));
        EXPECT_EQ(outcome.refusals.empty(), taken);
        EXPECT_TRUE(outcome.exceptions.empty());
        (taken ? taken_by : refused) += 1;
      }
    }
  }
  EXPECT_GT(taken_by, 0);
  EXPECT_GT(refused, 0) << "no ring but for all_to_all";
}

TEST(Asked, AListOfOneRunsAsItsName) {
  Cluster named = cluster_to_ask(), listed = named;
  named.collectives.algorithm = &algorithms::tree;
  listed.collectives.algorithms = parse_nccl_list("allreduce:Tree", kNcclAlgorithms).list;
  for (const std::vector<int>& ranks : groups_to_ask()) {
    const auto of = [&](const Cluster& cluster) {
      return choice_of(cluster, ranks, CollectiveKind::all_reduce).laid->algorithm->name;
    };
    EXPECT_EQ(of(named), of(listed));
  }
}

TEST(Asked, ListsOfProtocolsAreByCollective) {
  Cluster cluster = cluster_to_ask();
  cluster.collectives.protocols = parse_nccl_list("^ll;allgather:ll128", kNcclProtocols).list;
  const std::vector<int> node{0, 1, 2, 3};
  const auto protocol_of = [&](CollectiveKind collective, double bytes) {
    ScheduleBuilder builder(rank_count(cluster));
    const Communicator group =
        make_communicator(cluster, builder, node, Detail::folded, {collective});
    return choose(group, {.collective = collective, .bytes = bytes}).protocol;
  };
  for (const double bytes : {8.0, 1e6, 1e9}) {
    EXPECT_EQ(protocol_of(CollectiveKind::all_gather, bytes), Protocol::ll128);
    EXPECT_NE(protocol_of(CollectiveKind::reduce_scatter, bytes), Protocol::ll);
  }
}

TEST(Asked, TextsOfFlagsReplaceWhatTheFileAsksFor) {
  Collectives collectives{.algorithm = &algorithms::tree, .protocol = Protocol::ll};
  ask_algorithm("ring,tree", "--algorithm", collectives);
  EXPECT_EQ(collectives.algorithm, nullptr);
  EXPECT_TRUE(collectives.algorithms.has_value());
  ask_algorithm("fastest", "--algorithm", collectives);
  EXPECT_TRUE(collectives.fastest && !collectives.algorithms);
  ask_algorithm("nvls", "--algorithm", collectives);
  EXPECT_TRUE(collectives.algorithm == &algorithms::nvls && !collectives.fastest);
  ask_protocol("^LL128", "--protocol", collectives);
  EXPECT_TRUE(collectives.protocols && !collectives.protocol);
  const std::string said =
      input_error_of([&] { ask_protocol("^ll129", "--protocol", collectives); });
  EXPECT_TRUE(said.starts_with("--protocol: 'll129' is not one of: ")) << said;
}

}  // namespace
}  // namespace sim
