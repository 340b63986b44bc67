// SPDX-License-Identifier: Apache-2.0
// What a schedule cannot be faster than: closed forms of small ones. That no simulated step is
// faster is a law of tests/broad/bounds_test.cpp.
#include "sim/schedule/least_time.hpp"

#include <gtest/gtest.h>

#include "sim/schedule/builder.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kClose = 2e-4;  // the bound is less by a ten-thousandth

// Two nodes of one GPU and a NIC of 50 GBps.
Cluster pair_of_gpus() { return sample_cluster({.nodes = 2, .gpus = 1, .nics = 1}); }

class LeastTimeOf : public testing::Test {
 protected:
  OperationId kernel(int rank, Stream stream, double seconds, std::vector<OperationId> after = {}) {
    return builder_.work(rank, stream, Phase::forward, "kernel", seconds, 0, after);
  }
  OperationId flow(double latency_s, double bytes, std::vector<OperationId> after = {}) {
    return builder_.flow(route_, 0, Phase::gradient_comm, "flow", latency_s, bytes, after);
  }
  double least_s() {
    const Schedule schedule = std::move(builder_).finish();
    return least_time(schedule, wire(schedule, pair_of_gpus())).base();
  }

  ScheduleBuilder builder_{2};
  std::uint32_t route_ = builder_.add_route({.hops = {{0, 1, 0, 0}}});
};

TEST_F(LeastTimeOf, AnEmptyScheduleIsNone) { EXPECT_EQ(least_s(), 0); }

TEST_F(LeastTimeOf, AChainIsTheSumOfItsParts) {
  // 1 s, then 0.5 s and 100 GB over 50 GB/s, then 3 s on the other GPU.
  kernel(1, Stream::compute, 3, {flow(0.5, 100e9, {kernel(0, Stream::compute, 1)})});
  EXPECT_NEAR(least_s(), 1 + 0.5 + 2 + 3, 6.5 * kClose);
}

TEST_F(LeastTimeOf, KernelsBesideEachOtherShareTheirGpu) {
  const OperationId first = kernel(0, Stream::compute, 1);
  kernel(0, Stream::compute, 2, {first});
  kernel(0, Stream::codec, 4, {first});
  EXPECT_NEAR(least_s(), 1 + 2 + 4, 7 * kClose);
}

TEST_F(LeastTimeOf, FlowsBesideEachOtherShareTheirLink) {
  const OperationId first = kernel(0, Stream::compute, 1);
  const std::vector<OperationId> flows{flow(0.5, 100e9, {first}), flow(0.25, 50e9, {first})};
  kernel(1, Stream::compute, 3, flows);
  // The second flow's bytes can begin after 1.25 s; both take 3 s; 3 s follow.
  EXPECT_NEAR(least_s(), 1.25 + 3 + 3, 7.25 * kClose);
}

// Each period computes 1 s, and the next one waits for 2 s on a link: 4 periods and the 10 left out.
TEST_F(LeastTimeOf, PeriodsThatAreLeftOutLengthenThePathThroughTheirStage) {
  builder_.leave_out(10);
  OperationId before = kNoOperation;
  for (int period = 0; period < 4; ++period) {
    builder_.begin_period(0, period);
    before = flow(0.5, 75e9, {kernel(0, Stream::compute, 1, {before})});
  }
  builder_.begin_period(0, -1);
  kernel(0, Stream::compute, 5, {before});
  EXPECT_NEAR(least_s(), 14 * (1 + 0.5 + 1.5) + 5, 47 * kClose);
}

TEST_F(LeastTimeOf, AChangingLinkIsAsFastAsItEverIs) {
  flow(0, 100e9);
  const Schedule schedule = std::move(builder_).finish();
  Wiring wiring = wire(schedule, pair_of_gpus());
  for (Link& link : wiring.links) link.changes = {{.at_s = 1, .rate_Bps = 100e9}};
  EXPECT_NEAR(least_time(schedule, wiring).base(), 1, kClose);
}

}  // namespace
}  // namespace sim
