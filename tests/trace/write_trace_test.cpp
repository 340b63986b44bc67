// SPDX-License-Identifier: Apache-2.0
// What is written as a trace is read as the same one.
#include "sim/trace/write_trace.hpp"

#include <gtest/gtest.h>

namespace sim::trace {
namespace {

TEST(WriteTrace, IsReadAsItWas) {
  Trace trace{.device = "a GPU", .rank = 3, .ranks = 8, .gpus = {2}, .names = {{"one"}, {"two"}}};
  trace.steps = {{"ProfilerStep#1", 1, 3}, {"ProfilerStep#2", 3, 6}};
  trace.kernels = {
      {.name = 0, .step = 0, .stream = 7, .start_s = 1.5, .duration_s = 0.25, .launched_s = 1.25},
      {.name = 1, .step = 1, .stream = 9, .start_s = 4, .duration_s = 1.5, .launched_s = 3.5}};
  const Trace read = parse_trace(to_kineto(trace), "x.json");
  EXPECT_EQ(read.device, trace.device);
  EXPECT_EQ(read.rank, trace.rank);
  EXPECT_EQ(read.ranks, trace.ranks);
  EXPECT_EQ(read.gpus, trace.gpus);
  ASSERT_EQ(read.steps.size(), trace.steps.size());
  ASSERT_EQ(read.kernels.size(), trace.kernels.size());
  // Times may count from any event.
  const double origin_s = read.steps[0].start_s - trace.steps[0].start_s;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    EXPECT_EQ(read.steps[i].name, trace.steps[i].name);
    EXPECT_NEAR(read.steps[i].start_s - origin_s, trace.steps[i].start_s, 1e-9);
    EXPECT_NEAR(read.steps[i].end_s - origin_s, trace.steps[i].end_s, 1e-9);
  }
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const Kernel &written = trace.kernels[i], &one = read.kernels[i];
    EXPECT_EQ(read.names[one.name].text, trace.names[written.name].text);
    EXPECT_EQ(one.stream, written.stream);
    EXPECT_EQ(one.step, written.step);
    EXPECT_NEAR(one.start_s - origin_s, written.start_s, 1e-9);
    EXPECT_NEAR(one.duration_s, written.duration_s, 1e-9);
    EXPECT_NEAR(one.launched_s - origin_s, written.launched_s, 1e-9);
  }
}

}  // namespace
}  // namespace sim::trace
