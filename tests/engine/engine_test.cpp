// SPDX-License-Identifier: Apache-2.0
// What the engine makes of single operations: each test is a fact about time that the rest relies
// on.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/schedule/builder.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kGBps = 1e9;
constexpr double kNicRate = 50e9;    // of the sample cluster, bytes per second
constexpr double kTolerance = 1e-9;  // seconds

// Two nodes of eight GPUs; rank 8 is the first GPU of the second node.
class Engine : public testing::Test {
 protected:
  // From GPU 0 of one node to GPU 0 of the other over NIC 0 of both: nic_out_0, then nic_in_8.
  std::uint32_t over_nic(int times = 1, bool back = false) {
    const Hop hop = back ? Hop{8, 0, 0, 0, times} : Hop{0, 8, 0, 0, times};
    return builder.add_route({.hops = {hop}});
  }
  OperationId flow(std::uint32_t route, double latency_s, double bytes,
                   std::vector<OperationId> after = {}, std::uint32_t occupancy = 0) {
    return builder.flow(route, occupancy, Phase::none, "flow", latency_s, bytes, after);
  }
  OperationId kernel(int rank, Stream stream, double seconds, double memory_share = 0,
                     std::vector<OperationId> after = {}) {
    return builder.work(rank, stream, Phase::forward, "kernel", seconds, memory_share, after);
  }
  Timeline run(const Conditions& conditions = {}) {
    schedule = std::move(builder).finish();
    return simulate(schedule, cluster, conditions);
  }

  Cluster cluster = sample_cluster({.nodes = 2, .gpus = 8, .nics = 8});
  ScheduleBuilder builder{16};
  Schedule schedule;
};

TEST_F(Engine, AFlowTakesItsBytesOverTheBandwidthOfItsLinks) {
  // 1 GB over two links of 50 GB/s: 0.02 s, without a factor for headers or windows.
  const auto id = flow(over_nic(), 0, kGBps);
  EXPECT_NEAR(run().end_s[id], 0.02, kTolerance);
}

TEST_F(Engine, KernelsThatEndAtOnceAllEndWhileAFlowChangesTheirPace) {
  // Two kernels of 1 s share rank 0 for 2 s, and rank 1 has one of 2 s: three ends at one time. The
  // first one starts a flow that takes SMs from both ranks, which sets the other ends anew.
  const auto occupancy = builder.add_occupancy({.multiprocessor_share = 0.1, .ranks = {0, 1}});
  const auto first = kernel(0, Stream::compute, 1);
  const auto second = kernel(0, Stream::codec, 1);
  const auto other = kernel(1, Stream::compute, 2);
  const auto sent = flow(over_nic(), 1e-3, kGBps, {first}, occupancy);
  const Timeline timeline = run();
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  for (const auto id : {first, second, other}) EXPECT_NEAR(timeline.end_s[id], 2, kTolerance);
  EXPECT_NEAR(timeline.end_s[sent], 2.021, kTolerance);
}

TEST_F(Engine, OppositeDirectionsDoNotShare) {
  // 1 GB each way: 0.02 s each, as if alone.
  const auto there = flow(over_nic(), 0, kGBps);
  const auto back = flow(over_nic(1, true), 0, kGBps);
  const Timeline timeline = run();
  EXPECT_NEAR(timeline.end_s[there], 0.02, kTolerance);
  EXPECT_NEAR(timeline.end_s[back], 0.02, kTolerance);
}

TEST_F(Engine, FlowsOfDifferentLatencyShareEvenly) {
  // A begins at 1 us, B at 5 us. In the 4 us between, A moves 50 GB/s * 4 us = 200 kB. With that
  // much less to send, B ends with A: both at 5 us + (1 GB - 200 kB) / 25 GB/s = 39.997 ms.
  const auto a = flow(over_nic(), 1e-6, kGBps);
  const auto b = flow(over_nic(), 5e-6, kGBps - kNicRate * 4e-6);
  const Timeline timeline = run();
  EXPECT_NEAR(timeline.end_s[a], 39.997e-3, kTolerance);
  EXPECT_NEAR(timeline.end_s[b], 39.997e-3, kTolerance);
}

TEST_F(Engine, FlowsThatBeginAMomentApartShareFromThen) {
  // The clock's next number after the first one's start, when its rate is read for its latency on
  // the way. Each: 0.1 s of latency and 1 GB at half of 50 GB/s.
  std::vector<OperationId> flows;
  for (const double begins_s : {1e-3, std::nextafter(1e-3, 1.0)}) {
    const ScheduleBuilder::Latency latency{.before_s = begins_s, .on_the_way_s = 0.1};
    flows.push_back(builder.flow(over_nic(), 0, Phase::none, "flow", latency, kGBps, {}));
  }
  const Timeline timeline = run();
  for (const OperationId id : flows) EXPECT_NEAR(timeline.end_s[id], 0.141, kTolerance);
}

// 50 GB/s: a flow whose latency takes half of its time alone, and one without. While both are under way,
// the first one's bytes move at 25 GB/s in two of every three moments, so that the other one has 33.3 GB/s.
TEST_F(Engine, AFlowLeavesItsLinksToOthersWhileItsLatencyPasses) {
  for (const bool other : {false, true}) {
    builder = ScheduleBuilder(16);
    const ScheduleBuilder::Latency latency{.on_the_way_s = 0.02};
    const auto ring = builder.flow(over_nic(), 0, Phase::none, "flow", latency, kGBps, {});
    const auto message = flow(over_nic(), 0, other ? kGBps : 0);
    const Timeline timeline = run();
    EXPECT_NEAR(timeline.end_s[message], other ? 0.03 : 0, kTolerance);
    // Half of it is left at 0.03 s.
    EXPECT_NEAR(timeline.end_s[ring], other ? 0.03 + 0.02 : 0.04, kTolerance);
  }
}

// Links are shared fairly, which is not what is best for all. At 15 GB/s over a link of its own, 1 GB of
// the first flow leaves 35 of 50 GB/s to the second one, on which a third waits; at 50 GB/s it takes half.
TEST_F(Engine, AFasterLinkMayMakeAllOthersWait) {
  const auto makespan_s = [&](double own_Bps) {
    builder = ScheduleBuilder(1);
    const std::uint32_t first = builder.add_own_route({}), second = builder.add_own_route({});
    flow(first, 0, kGBps);
    const auto waited_for = flow(second, 0, kGBps);
    kernel(0, Stream::compute, 0.1, 0, {waited_for});
    const Wiring wiring{
        .links = {{.name = "both", .rate_Bps = 50e9}, {.name = "own", .rate_Bps = own_Bps}},
        .routes = {{{0}, {1}}, {{0}}}};
    return simulate(std::move(builder).finish(), wiring).makespan_s;
  };
  EXPECT_NEAR(makespan_s(15e9), 1 / 35.0 + 0.1, 1e-7);
  EXPECT_NEAR(makespan_s(50e9), 1 / 25.0 + 0.1, 1e-7);
}

// 50 GB/s: 1 GB alone for 0.1 s, then in two, then in three, of which one crosses the link back too.
TEST_F(Engine, FlowsOverOneRouteEndAsTheirBytesDo) {
  const auto first = flow(over_nic(), 0, 12.5 * kGBps);
  const auto second = flow(over_nic(), 0.1, 5 * kGBps);
  const auto other =
      flow(builder.add_route({.hops = {{0, 8, 0, 0}, {8, 0, 0, 0}}}), 0.2, 2.5 * kGBps);
  const auto third = flow(over_nic(), 0.2, 2.5 * kGBps);
  const Timeline timeline = run();
  // At 0.2 s 5 and 2.5 GB are left of the first two. In four until 0.4 s, when those of 2.5 GB end.
  EXPECT_NEAR(timeline.end_s[second], 0.4, 1e-7);
  EXPECT_NEAR(timeline.end_s[other], 0.4, 1e-7);
  EXPECT_NEAR(timeline.end_s[third], 0.4, 1e-7);
  EXPECT_NEAR(timeline.end_s[first], 0.45, 1e-7);
}

// Two flows of 1 GB over a link of 50 GB/s, of which one crosses a link of its own.
TEST(Engines, LeaveOutALinkOnlyWhereAnotherOneIsNeverFaster) {
  for (const auto& [own_Bps, ends_s] : {std::pair{80e9, 0.04}, {50e9, 0.04}, {10e9, 0.1}}) {
    ScheduleBuilder builder(1);
    for (int route = 0; route < 2; ++route) {
      builder.flow(builder.add_own_route({}), 0, Phase::none, "flow", 0, 1e9, {});
    }
    const Wiring wiring{
        .links = {{.name = "both", .rate_Bps = 50e9}, {.name = "own", .rate_Bps = own_Bps}},
        .routes = {{{0}, {1}}, {{0}}}};
    const Timeline timeline = simulate(std::move(builder).finish(), wiring);
    EXPECT_NEAR(timeline.end_s[0], ends_s, 1e-7);
    EXPECT_NEAR(timeline.end_s[1], ends_s == 0.1 ? 0.025 : 0.04, 1e-7);
  }
}

TEST_F(Engine, AFlowOfManySharesIsAsManyTimesSlower) {
  // Three shares of 1 GB over one link: 3 GB / 50 GB/s = 0.06 s.
  const auto id = flow(over_nic(3), 0, kGBps);
  EXPECT_NEAR(run().end_s[id], 0.06, kTolerance);
}

TEST_F(Engine, SharesOfOneLinkProgressAlike) {
  // Three shares beside one: four shares of 12.5 GB/s. 1 GB each: 0.08 s for both flows.
  const auto three = flow(over_nic(3), 0, kGBps);
  const auto one = flow(over_nic(1), 0, kGBps);
  const Timeline timeline = run();
  EXPECT_NEAR(timeline.end_s[three], 0.08, kTolerance);
  EXPECT_NEAR(timeline.end_s[one], 0.08, kTolerance);
}

TEST_F(Engine, AnEmptyFlowCostsItsLatency) {
  const auto id = flow(over_nic(), 7e-6, 0);
  EXPECT_NEAR(run().end_s[id], 7e-6, 1e-15);
}

TEST_F(Engine, AFlowStartsWhenItsLastDependencyEnds) {
  // Kernels of 1 s and 3 s on two GPUs; then 2 us of latency and 0.02 s of bytes.
  const auto early = kernel(0, Stream::compute, 1);
  const auto late = kernel(8, Stream::compute, 3);
  const auto id = flow(over_nic(), 2e-6, kGBps, {early, late});
  const Timeline timeline = run();
  EXPECT_DOUBLE_EQ(timeline.start_s[id], 3);
  EXPECT_NEAR(timeline.end_s[id], 3 + 2e-6 + 0.02, kTolerance);
}

// Of two flows of 1 GB that share 50 GB/s, one is given up after 10 ms, when each has carried a quarter;
// one after 1 ms, before its latency of 5 ms is over; and one that would begin after a second. What
// depends on them goes on at once, and the flow that is left has the link to itself.
TEST_F(Engine, AFlowThatIsGivenUpHasCarriedWhatItsLinksMoved) {
  for (const double latency_on_the_way_s : {0.0, 1e-9}) {
    builder = ScheduleBuilder(16);
    const std::uint32_t route = over_nic();
    const auto stays = flow(route, 0, kGBps);
    const auto stops = builder.flow(route, 0, Phase::none, "flow",
                                    {.on_the_way_s = latency_on_the_way_s}, kGBps, {});
    const auto early = flow(route, 5e-3, kGBps);
    const auto never = flow(route, 0, kGBps, {kernel(3, Stream::compute, 1)});
    const auto after = kernel(1, Stream::compute, 1, 0, {stops, never});
    const auto at_1_ms = kernel(2, Stream::compute, 1e-3);
    const auto at_10_ms = kernel(2, Stream::compute, 9e-3);
    builder.give_up(early, at_1_ms);
    builder.give_up(stops, at_10_ms);
    builder.give_up(never, at_10_ms);
    builder.give_up(stays, after);  // when it has long ended
    const Timeline timeline = run();
    EXPECT_EQ(timeline.outcome, Outcome::complete);
    EXPECT_NEAR(timeline.end_s[early], 1e-3, kTolerance);
    EXPECT_EQ(timeline.carried[early], 0);
    EXPECT_NEAR(timeline.end_s[stops], 10e-3, kTolerance);
    EXPECT_NEAR(timeline.carried[stops], 0.25, 1e-6);
    EXPECT_NEAR(timeline.end_s[never], 10e-3, kTolerance);
    EXPECT_EQ(timeline.carried[never], 0);
    EXPECT_NEAR(timeline.end_s[after], 1.01, kTolerance);
    // Its other 0.75 GB, alone.
    EXPECT_NEAR(timeline.end_s[stays], 10e-3 + 15e-3, 1e-6);
    EXPECT_EQ(timeline.carried[stays], 1);
    EXPECT_NEAR(timeline.makespan_s, 1.01, kTolerance);
  }
}

TEST_F(Engine, ManyOperationsComplete) {
  // 16 ranks, each with a chain of 20 000 kernels of 2^-10 s: 20 000 / 1024 s, without rounding.
  constexpr int kKernels = 20'000;
  for (int i = 0; i < kKernels; ++i) {
    for (int rank = 0; rank < 16; ++rank) kernel(rank, Stream::compute, 1.0 / 1024);
  }
  const Timeline timeline = run();
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  EXPECT_EQ(timeline.end_s.size(), 16U * kKernels);
  EXPECT_DOUBLE_EQ(timeline.makespan_s, kKernels / 1024.0);
}

TEST_F(Engine, ManyFlowsComplete) {
  // A chain of 5 000 flows of 1 MB: 5 000 * 1 MB / 50 GB/s = 0.1 s.
  OperationId last = kNoOperation;
  for (int i = 0; i < 5'000; ++i) last = flow(over_nic(), 0, 1e6, {last});
  EXPECT_NEAR(run().makespan_s, 0.1, 1e-6);
}

TEST_F(Engine, KernelsOfOneGpuShareItEvenly) {
  // 1 s and 2 s of work at once: both at half speed until 2 s, where one second is left alone.
  const auto one = kernel(0, Stream::compute, 1);
  const auto two = kernel(0, Stream::codec, 2);
  const auto elsewhere = kernel(1, Stream::compute, 2);
  const Timeline timeline = run();
  EXPECT_NEAR(timeline.end_s[one], 2, kTolerance);
  EXPECT_NEAR(timeline.end_s[two], 3, kTolerance);
  EXPECT_NEAR(timeline.end_s[elsewhere], 2, kTolerance);
}

TEST_F(Engine, AFlowSlowsTheKernelBesideItUntilItEnds) {
  // Of the kernel's second, 3/4 is bound by SMs, of which the flow takes 1/5, and 1/4 by memory, of
  // which it takes 1/2: while the flow runs the kernel is 0.75 / 0.8 + 0.25 / 0.5 = 1.4375 times
  // slower. The flow runs for 25 GB / 50 GB/s = 0.5 s, in which 0.5 / 1.4375 s of work are done.
  const auto taken =
      builder.add_occupancy({.multiprocessor_share = 0.2, .memory_share = 0.5, .ranks = {0}});
  const auto beside = kernel(0, Stream::compute, 1, 0.25);
  const auto elsewhere = kernel(1, Stream::compute, 1, 0.25);
  flow(over_nic(), 0, 25 * kGBps, {}, taken);
  const Timeline timeline = run();
  EXPECT_NEAR(timeline.end_s[beside], 0.5 + (1 - 0.5 / 1.4375), kTolerance);
  EXPECT_NEAR(timeline.end_s[elsewhere], 1, kTolerance);
}

TEST_F(Engine, AFlowTakesItsShareFromItsLaunchOn) {
  // The collective's kernel waits on the GPU for its latency: 0.5 s at half the SMs.
  const auto taken = builder.add_occupancy({.multiprocessor_share = 0.5, .ranks = {0}});
  const auto beside = kernel(0, Stream::compute, 1);
  flow(over_nic(), 0.5, 0, {}, taken);
  EXPECT_NEAR(run().end_s[beside], 0.5 + (1 - 0.5 / 2), kTolerance);
}

TEST_F(Engine, AFlowTakesMemoryBandwidthWhileItsBytesMove) {
  // 0.5 s of latency beside a kernel at full speed, then 25 GB / 50 GB/s = 0.5 s at half.
  const auto taken = builder.add_occupancy({.memory_share = 0.5, .ranks = {0}});
  const auto beside = kernel(0, Stream::compute, 1, 1);
  flow(over_nic(), 0.5, 25 * kGBps, {}, taken);
  EXPECT_NEAR(run().end_s[beside], 1 + 0.25, kTolerance);
}

TEST_F(Engine, WhatAFlowTakesOfMemoryFollowsItsBytesAndNotItsRate) {
  // 25 GB, each byte of it moved 3 times through memory of 300 GB/s: 0.25 s that the kernel lacks,
  // whatever flows beside.
  for (const int others : {0, 1, 4}) {
    builder = ScheduleBuilder(16);
    const auto taken = builder.add_occupancy({.memory_s_per_byte = 3 / 300e9, .ranks = {0}});
    const auto beside = kernel(0, Stream::compute, 5, 1);
    flow(over_nic(), 0, 25 * kGBps, {}, taken);
    for (int i = 0; i < others; ++i) flow(over_nic(), 0, 30 * kGBps);
    EXPECT_NEAR(run().end_s[beside], 5.25, kTolerance) << others;
  }
}

TEST_F(Engine, PartsOfAKernelMeetWhatRunsBesideThemInTheirOrder) {
  // A second of arithmetic, then a second of memory, beside a flow that takes half of the memory
  // bandwidth for the first second, or for both.
  const KernelPart parts[] = {{0.5, 0}, {0.5, 1}};
  for (const double flow_s : {1.0, 2.0}) {
    builder = ScheduleBuilder(16);
    const auto taken = builder.add_occupancy({.memory_share = 0.5, .ranks = {0}});
    const auto both = builder.work(0, Stream::compute, Phase::forward, "kernels", 2, parts);
    flow(over_nic(), 0, flow_s * kNicRate, {}, taken);
    EXPECT_NEAR(run().end_s[both], flow_s == 1 ? 2 : 2.5, kTolerance);
  }
}

TEST_F(Engine, ACollectiveHoldsItsSmsBetweenItsFlows) {
  // Half of the SMs from its begin to its end after 1 s.
  const auto taken = builder.add_occupancy({.multiprocessor_share = 0.5, .ranks = {0}});
  const auto beside = kernel(0, Stream::compute, 1);
  const auto begin = builder.acquire(taken, {});
  const auto first = flow(over_nic(), 0.2, 0, {begin});
  builder.release(taken, std::vector{flow(over_nic(), 0.8, 0, {first})});
  EXPECT_NEAR(run().end_s[beside], 1.5, kTolerance);
}

TEST_F(Engine, FlowsShareALinkByTheirChannels) {
  // 37.5 and 12.5 of 50 GB/s, then all for the 1 GB that is left.
  const auto three = builder.add_route({.hops = {{0, 8, 0, 0}}, .channels = 3});
  const auto first = flow(three, 0, 3 * kGBps);
  const auto second = flow(over_nic(), 0, 2 * kGBps);
  const Timeline timeline = run();
  EXPECT_NEAR(timeline.end_s[first], 0.08, kTolerance);
  EXPECT_NEAR(timeline.end_s[second], 0.1, kTolerance);
}

TEST_F(Engine, FlowsThatTakeAllLeaveATwentieth) {
  // Two flows that each take all SMs for 1 s: a kernel of 1 s gets 5 % of the GPU for that second.
  const auto taken = builder.add_occupancy({.multiprocessor_share = 1, .ranks = {0}});
  const auto beside = kernel(0, Stream::compute, 1);
  flow(over_nic(), 1, 0, {}, taken);
  flow(over_nic(), 1, 0, {}, taken);
  EXPECT_NEAR(run().end_s[beside], 1 + (1 - 0.05), kTolerance);
}

TEST_F(Engine, FlowsLeaveKernelsHalfOfTheMemoryBandwidth) {
  // However fast the links: a flow that would take all for 0.5 s costs the kernel 0.25 s.
  const auto taken = builder.add_occupancy({.memory_s_per_byte = 1 / kNicRate, .ranks = {0}});
  const auto beside = kernel(0, Stream::compute, 1, 1);
  flow(over_nic(), 0, 25 * kGBps, {}, taken);
  EXPECT_NEAR(run().end_s[beside], 1.25, kTolerance);
}

TEST_F(Engine, ChannelsTakeNoMoreMemoryBandwidthThanSms) {
  // Their bytes want half of it for 0.5 s, and a tenth of the SMs moves them: a kernel that memory
  // bounds does 0.45 s of its second beside them. A copy engine takes half; both together 0.6, of
  // which a kernel keeps half.
  const auto beside_flows = [&](std::initializer_list<bool> channels) {
    builder = ScheduleBuilder(16);
    const auto held =
        builder.add_occupancy({.multiprocessor_share = 0.1, .by_channels = true, .ranks = {0}});
    const auto beside = kernel(0, Stream::compute, 1, 1);
    for (const bool by_channels : channels) {
      const auto moved = builder.add_occupancy(
          {.memory_s_per_byte = 0.5 / kNicRate, .by_channels = by_channels, .ranks = {0}});
      std::vector<OperationId> after;
      if (by_channels) after.push_back(builder.acquire(held, {}));
      const auto end =
          flow(by_channels ? over_nic() : over_nic(1, true), 0, 25 * kGBps, after, moved);
      if (by_channels) builder.release(held, std::vector{end});
    }
    return run().end_s[beside];
  };
  EXPECT_NEAR(beside_flows({true}), 0.5 + (1 - 0.5 * 0.9), kTolerance);
  EXPECT_NEAR(beside_flows({false}), 0.5 + (1 - 0.5 * 0.5), kTolerance);
  EXPECT_NEAR(beside_flows({true, false}), 0.5 + (1 - 0.5 * 0.5), kTolerance);
}

TEST_F(Engine, ProductsLoseMoreThanTheirShareOnceAnySmIsHeld) {
  // 1.13 / 0.9 times as long for 0.5 s, and as long as alone when the SMs are free again.
  const KernelPart product{.share = 1, .beside_channels = 0.13};
  const auto taken = builder.add_occupancy({.multiprocessor_share = 0.1, .ranks = {0}});
  for (int i = 0; i < 3; ++i) flow(over_nic(), 0.5, 0, {}, taken);
  const auto beside = builder.work(0, Stream::compute, Phase::forward, "product", 1, {{product}});
  const auto elsewhere =
      builder.work(1, Stream::compute, Phase::forward, "product", 1, {{product}});
  const Timeline timeline = run();
  EXPECT_NEAR(timeline.end_s[beside], 0.5 + (1 - 0.5 * 0.7 / 1.13), kTolerance);
  EXPECT_NEAR(timeline.end_s[elsewhere], 1, kTolerance);
}

TEST_F(Engine, AMemberStartsWhereItsRankArrives) {
  // Rank 0 arrives at 1 s, rank 8 at 3 s; the flow of 1 GB starts with the last and ends both
  // parts.
  const auto early = kernel(0, Stream::compute, 1);
  const auto late = kernel(8, Stream::compute, 3);
  const auto bytes = flow(over_nic(), 0, kGBps, {early, late});
  const auto first = builder.member(0, Stream::weights, Phase::none, "", {{early}}, bytes);
  const auto second = builder.member(8, Stream::weights, Phase::none, "", {{late}}, bytes);
  const Timeline timeline = run();
  EXPECT_DOUBLE_EQ(timeline.start_s[first], 1);
  EXPECT_DOUBLE_EQ(timeline.start_s[second], 3);
  EXPECT_NEAR(timeline.end_s[first], 3.02, kTolerance);
  EXPECT_EQ(timeline.end_s[first], timeline.end_s[second]);
}

TEST_F(Engine, AnOutageIsANamedOutcome) {
  // nic_out_0 goes down at 10 ms, in the middle of the first flow; the way back is not touched.
  const auto lost = flow(over_nic(), 0, kGBps);
  const auto dependent = kernel(8, Stream::compute, 1, 0, {lost});
  const auto other = flow(over_nic(1, true), 0, kGBps);
  const Timeline timeline = run({.outages = {{"nic_out_0", 10_ms, 20_ms}}});
  EXPECT_EQ(timeline.outcome, Outcome::link_failed);
  EXPECT_STREQ(outcome_name(timeline.outcome), "link_failed");
  EXPECT_TRUE(std::isnan(timeline.end_s[lost]));
  EXPECT_TRUE(std::isnan(timeline.start_s[dependent]));
  EXPECT_TRUE(std::isnan(timeline.end_s[dependent]));
  EXPECT_NEAR(timeline.end_s[other], 0.02, kTolerance);
}

TEST_F(Engine, AFlowThatStartsDuringAnOutageIsLost) {
  const auto before = kernel(0, Stream::compute, 0.015);
  const auto lost = flow(over_nic(), 0, kGBps, {before});
  const Timeline timeline = run({.outages = {{"nic_in_8", 10_ms, 20_ms}}});
  EXPECT_EQ(timeline.outcome, Outcome::link_failed);
  EXPECT_TRUE(std::isnan(timeline.end_s[lost]));
}

TEST_F(Engine, AFailedFlowGivesBackWhatItTook) {
  // The flow takes half the SMs until it fails at 0.5 s: the kernel then has 0.75 s left.
  const auto taken = builder.add_occupancy({.multiprocessor_share = 0.5, .ranks = {0}});
  const auto beside = kernel(0, Stream::compute, 1);
  flow(over_nic(), 0, 100 * kGBps, {}, taken);
  const Timeline timeline = run({.outages = {{"nic_out_0", 0.5_s, 20_s}}});
  EXPECT_NEAR(timeline.end_s[beside], 0.5 + 0.75, kTolerance);
}

TEST_F(Engine, AnOutageBetweenFlowsHarmsNothing) {
  const auto first = flow(over_nic(), 0, kGBps);
  const auto pause = kernel(0, Stream::compute, 1, 0, {first});
  flow(over_nic(), 0, kGBps, {pause});
  const Timeline timeline = run({.outages = {{"nic_out_0", 30_ms, 40_ms}}});
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  EXPECT_NEAR(timeline.makespan_s, 0.02 + 1 + 0.02, kTolerance);
}

TEST_F(Engine, TheTimeLimitIsANamedOutcome) {
  const auto done = kernel(0, Stream::compute, 1);
  const auto cut = kernel(0, Stream::compute, 10);
  const auto bytes = flow(over_nic(), 0, 1000 * kGBps);  // 20 s
  const Timeline timeline = run({.time_limit = 5_s});
  EXPECT_EQ(timeline.outcome, Outcome::time_limit);
  EXPECT_STREQ(outcome_name(timeline.outcome), "time_limit");
  EXPECT_NEAR(timeline.end_s[done], 1, kTolerance);
  EXPECT_TRUE(std::isnan(timeline.end_s[cut]));
  EXPECT_TRUE(std::isnan(timeline.end_s[bytes]));
  EXPECT_NEAR(timeline.makespan_s, 1, kTolerance);  // of what ended
}

TEST_F(Engine, AnEmptyScheduleTakesNoTime) {
  const Timeline timeline = run();
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  EXPECT_EQ(timeline.makespan_s, 0);
}

}  // namespace
}  // namespace sim
