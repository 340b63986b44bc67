// SPDX-License-Identifier: Apache-2.0
// What every schedule keeps, whoever builds it: order, dependencies that point back, bytes that are
// counted once.
#include "sim/schedule/builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/collectives/collectives.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

const Cluster& two_nodes() {
  static const Cluster cluster =
      sample_cluster({.nodes = 2, .gpus = 4, .nics = 4, .fabric = &fabrics::rail_optimized});
  return cluster;
}

OperationId kernel(ScheduleBuilder& builder, int rank, Stream stream,
                   std::vector<OperationId> after = {}, double seconds = 1) {
  return builder.work(rank, stream, Phase::forward, "kernel", seconds, 0, after);
}

std::vector<OperationId> dependencies(const Schedule& schedule, OperationId id) {
  const auto earlier = schedule.dependencies_of(schedule.operations[id]);
  return {earlier.begin(), earlier.end()};
}

// Everything that the builder offers, on streams that wait for each other.
Schedule mixed_schedule(Detail detail) {
  ScheduleBuilder builder(8);
  const Communicator all =
      make_communicator(two_nodes(), builder, {0, 1, 2, 3, 4, 5, 6, 7}, detail);
  const Communicator some = make_communicator(two_nodes(), builder, {1, 2, 5, 6}, detail);
  for (int round = 0; round < 3; ++round) {
    std::vector<OperationId> ready;
    for (int rank = 0; rank < 8; ++rank) {
      ready.push_back(
          kernel(builder, rank, Stream::compute, {builder.last(rank, Stream::weights)}));
    }
    const Call call{.stream = Stream::weights, .phase = Phase::weight_comm, .after = ready};
    all_gather(builder, all, 8e6, call);
    all_to_all(builder, some, 4e6, {.stream = Stream::gradients, .phase = Phase::gradient_comm});
    all_reduce_scalar(two_nodes(), builder, all, {.stream = Stream::gradients});
    send(two_nodes(), builder, {.source = 0, .destination = 5, .bytes = 1e6},
         {.stream = Stream::receive_forward, .after = {ready.data(), 1}});
  }
  return std::move(builder).finish();
}

class AnySchedule : public testing::TestWithParam<Detail> {
 protected:
  Schedule schedule = mixed_schedule(GetParam());
};

TEST_P(AnySchedule, DependsOnEarlierOperationsOnlyAndOnEachOnce) {
  std::size_t counted = 0;
  for (OperationId id = 0; id < schedule.operations.size(); ++id) {
    const auto earlier = dependencies(schedule, id);
    counted += earlier.size();
    for (const OperationId one : earlier) ASSERT_LT(one, id);
    ASSERT_EQ(std::set(earlier.begin(), earlier.end()).size(), earlier.size()) << id;
  }
  EXPECT_EQ(counted, schedule.dependencies.size());
}

TEST_P(AnySchedule, KeepsEachStreamInOrder) {
  std::map<std::pair<int, Stream>, OperationId> last;
  for (OperationId id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.rank < 0) continue;
    const auto [slot, first] = last.try_emplace({operation.rank, operation.stream}, id);
    if (first) continue;
    const auto earlier = dependencies(schedule, id);
    ASSERT_TRUE(std::count(earlier.begin(), earlier.end(), slot->second)) << id;
    slot->second = id;
  }
  EXPECT_FALSE(last.empty());
}

TEST_P(AnySchedule, CrossesLinksOfTheCluster) {
  const Topology topology(two_nodes());
  for (const Route& route : schedule.routes) {
    for (const Hop& hop : route.hops) {
      EXPECT_GE(hop.times, 1);
      EXPECT_NE(hop.source, hop.destination);
      for (const LinkId link : topology.way(hop).links) {
        ASSERT_LT(link, topology.links().size());
        EXPECT_GT(topology.links()[link].rate_Bps, 0) << topology.links()[link].name;
      }
    }
  }
}

TEST_P(AnySchedule, NamesWhatItHolds) {
  for (const Operation& operation : schedule.operations) {
    EXPECT_LT(operation.label, schedule.labels.size());
    EXPECT_GE(operation.seconds, 0);
    ASSERT_LT(operation.parts, schedule.parts.size());
    if (operation.kind == OperationKind::flow) {
      EXPECT_EQ(operation.rank, -1);
      ASSERT_LT(operation.route, schedule.routes.size());
      ASSERT_LT(operation.occupancy, schedule.occupancies.size());
      EXPECT_GE(operation.bytes, 0);
    }
  }
  for (const auto& parts : schedule.parts) {
    double all = 0;
    for (const KernelPart& part : parts) all += part.share;
    EXPECT_NEAR(all, 1, 1e-12);
  }
  for (const Occupancy& occupancy : schedule.occupancies) {
    EXPECT_GE(occupancy.multiprocessor_share, 0);
    EXPECT_LE(occupancy.multiprocessor_share, 1);
    EXPECT_GE(occupancy.memory_share, 0);
    EXPECT_LE(occupancy.memory_share, 1);
    EXPECT_GE(occupancy.memory_s_per_byte, 0);
    for (const int rank : occupancy.ranks) EXPECT_TRUE(rank >= 0 && rank < schedule.ranks);
  }
}

TEST_P(AnySchedule, SendsTheBytesOfItsPhases) {
  const SentBytes all = sent_bytes(schedule);
  std::vector<double> intra(8), inter(8);
  for (int phase = 0; phase <= static_cast<int>(Phase::none); ++phase) {
    const SentBytes part = sent_bytes(schedule, static_cast<Phase>(phase));
    for (std::size_t rank = 0; rank < 8; ++rank) {
      intra[rank] += part.intra_node[rank];
      inter[rank] += part.inter_node[rank];
    }
  }
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_NEAR(intra[rank], all.intra_node[rank], 1e-3);
    EXPECT_NEAR(inter[rank], all.inter_node[rank], 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Detail, AnySchedule, testing::Values(Detail::folded, Detail::step_by_step),
                         [](const auto& param_info) {
                           return param_info.param == Detail::folded ? "Folded" : "StepByStep";
                         });

TEST(Builder, RefusesADependencyThatIsNotEarlier) {
  ScheduleBuilder builder(1);
  EXPECT_THROW(kernel(builder, 0, Stream::compute, {0}), std::logic_error);
  const OperationId first = kernel(builder, 0, Stream::compute);
  EXPECT_THROW(kernel(builder, 0, Stream::codec, {first + 1}), std::logic_error);
}

TEST(Builder, RefusesAnUnknownRankOrRoute) {
  ScheduleBuilder builder(2);
  EXPECT_THROW(kernel(builder, 2, Stream::compute), std::logic_error);
  EXPECT_THROW(kernel(builder, -1, Stream::compute), std::logic_error);
  EXPECT_THROW(builder.flow(0, 0, Phase::none, "", 0, 1, {}), std::logic_error);
}

TEST(Builder, AStreamsOperationsFollowEachOther) {
  ScheduleBuilder builder(2);
  const OperationId first = kernel(builder, 0, Stream::compute);
  const OperationId beside = kernel(builder, 0, Stream::codec);
  const OperationId elsewhere = kernel(builder, 1, Stream::compute);
  const OperationId second = kernel(builder, 0, Stream::compute, {kNoOperation, beside, first});
  EXPECT_EQ(builder.last(0, Stream::compute), second);
  EXPECT_EQ(builder.last(1, Stream::codec), kNoOperation);
  const Schedule schedule = std::move(builder).finish();
  for (const OperationId id : {first, beside, elsewhere}) {
    EXPECT_TRUE(dependencies(schedule, id).empty());
  }
  EXPECT_EQ(dependencies(schedule, second), (std::vector{first, beside}));
}

TEST(Builder, WorkOfNoTimeIsAnOperationOnlyWhereItWaits) {
  ScheduleBuilder builder(1);
  EXPECT_EQ(kernel(builder, 0, Stream::codec, {}, 0), kNoOperation);
  const OperationId first = kernel(builder, 0, Stream::compute);
  EXPECT_EQ(kernel(builder, 0, Stream::compute, {kNoOperation}, 0), first);
  const OperationId waiting = kernel(builder, 0, Stream::codec, {first}, 0);
  EXPECT_NE(waiting, first);
  EXPECT_EQ(std::move(builder).finish().operations.size(), 2U);
}

TEST(Builder, AMemberDependsOnTheEndLast) {
  // The engine takes a member's arrival from all its dependencies but the last.
  ScheduleBuilder builder(1);
  const OperationId own = kernel(builder, 0, Stream::weights);
  const OperationId ready = kernel(builder, 0, Stream::compute);
  const OperationId end = builder.barrier({});
  const OperationId member =
      builder.member(0, Stream::weights, Phase::weight_comm, "", {{ready}}, end);
  EXPECT_EQ(builder.last(0, Stream::weights), member);
  EXPECT_EQ(dependencies(std::move(builder).finish(), member), (std::vector{own, ready, end}));
}

TEST(Builder, FindsAnEqualRouteAgainWhateverTheOrderOfItsHops) {
  ScheduleBuilder builder(4);
  const Hop one{.source = 0, .destination = 1};
  const Hop other{.source = 2, .destination = 3};
  const auto route = builder.add_route({.hops = {one, other}, .communicator = 1});
  EXPECT_EQ(builder.add_route({.hops = {other, one}, .communicator = 1}), route);
  EXPECT_NE(builder.add_route({.hops = {one, other}, .communicator = 2}), route);
  EXPECT_NE(builder.add_route({.hops = {one}, .communicator = 1}), route);
}

TEST(Builder, GivesEqualTextsOneLabelAndEveryCommunicatorANumber) {
  ScheduleBuilder builder(1);
  EXPECT_NE(builder.add_communicator(), builder.add_communicator());
  for (const char* text : {"a", "b", "a"}) {
    builder.work(0, Stream::compute, Phase::forward, text, 1, 0);
  }
  const Schedule schedule = std::move(builder).finish();
  EXPECT_EQ(schedule.labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(schedule.operations[0].label, schedule.operations[2].label);
}

TEST(SentBytes, CountEveryShareOfEveryHopAtItsSender) {
  // 10 bytes: three shares inside node 0 from rank 1, one over the network from rank 2.
  ScheduleBuilder builder(8);
  const auto route = builder.add_route({.hops = {{1, 2, -1, -1, 3}, {2, 6, 2, 2, 1}}});
  builder.flow(route, 0, Phase::weight_comm, "", 0, 10, {});
  builder.flow(route, 0, Phase::gradient_comm, "", 0, 1, {});
  const Schedule schedule = std::move(builder).finish();
  using Ranks = std::vector<double>;
  EXPECT_EQ(sent_bytes(schedule).intra_node, (Ranks{0, 33, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(sent_bytes(schedule).inter_node, (Ranks{0, 0, 11, 0, 0, 0, 0, 0}));
  EXPECT_EQ(sent_bytes(schedule, Phase::weight_comm).intra_node[1], 30);
  EXPECT_EQ(sent_bytes(schedule, Phase::gradient_comm).inter_node[2], 1);
  EXPECT_EQ(sent_bytes(schedule, Phase::forward).intra_node[1], 0);
}

TEST(Names, OfPhasesAndStreamsAreDistinct) {
  std::set<std::string> phases, streams;
  for (int i = 0; i <= static_cast<int>(Phase::none); ++i) {
    EXPECT_TRUE(phases.insert(phase_name(static_cast<Phase>(i))).second) << i;
  }
  for (int i = 0; i < kStreams; ++i) {
    EXPECT_TRUE(streams.insert(stream_name(static_cast<Stream>(i))).second) << i;
  }
  EXPECT_EQ(*phases.find("none"), phase_name(Phase::none));
}

}  // namespace
}  // namespace sim
