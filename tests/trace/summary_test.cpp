// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/summary.hpp"

#include <gtest/gtest.h>

#include "tests/input_errors.hpp"
#include "tests/trace/trace_text.hpp"

namespace sim::trace {
namespace {

constexpr const char* kGemm = "ampere_gemm";
constexpr const char* kReduce = "ncclDevKernel_AllReduce_Sum_bf16";

Summary summary_of(const std::vector<TracedKernel>& kernels, std::vector<std::string> steps = {}) {
  const Trace trace = parse_trace(trace_of(kernels, std::move(steps)), "x.json");
  return summarize({&trace, 1});
}

// 10 us of products, then 20 us of an all_reduce, the first 5 beside 5 more of products; 5 idle.
TEST(TraceSummary, TimesAreOfAStep) {
  const Summary summary = summary_of({{.name = kGemm, .start = 0, .duration = 10},
                                      {.name = kGemm, .start = 10, .duration = 5},
                                      {.name = kReduce, .start = 10, .duration = 20, .stream = 20}},
                                     {step_event(1, 0, 35)});
  EXPECT_NEAR(summary.step_s.mean, 35e-6, 1e-12);
  EXPECT_NEAR(summary.compute_s, 15e-6, 1e-12);
  EXPECT_NEAR(summary.exposed_s, 15e-6, 1e-12);
  EXPECT_NEAR(summary.idle_s, 5e-6, 1e-12);
  EXPECT_NEAR(summary.kernels_s, 35e-6, 1e-12);
  ASSERT_EQ(summary.classes.size(), 2u);
  EXPECT_EQ(summary.classes[0].value, KernelClass::all_reduce);
  EXPECT_NEAR(summary.seconds_of(KernelClass::product), 15e-6, 1e-12);
  EXPECT_EQ(summary.classes[1].kernels, 2);
  EXPECT_EQ(summary.seconds_of(KernelClass::norm), 0);
}

// Gaps of 2 us and of 4 us are launches; in one of 6 us the stream waits.
TEST(TraceSummary, AShortGapBelongsToTheKernelBeforeIt) {
  const Summary summary = summary_of({{.name = kGemm, .start = 0, .duration = 10},
                                      {.name = kReduce, .start = 11, .duration = 20, .stream = 9},
                                      {.name = kGemm, .start = 12, .duration = 10},
                                      {.name = kGemm, .start = 26, .duration = 10},
                                      {.name = kGemm, .start = 42, .duration = 10}});
  ASSERT_EQ(summary.classes[0].value, KernelClass::product);
  EXPECT_NEAR(summary.classes[0].seconds.mean, 40e-6, 1e-12);
  EXPECT_NEAR(summary.classes[0].with_gaps.mean, 46e-6, 1e-12);
  EXPECT_NEAR(summary.classes[1].with_gaps.mean, 20e-6, 1e-12);
}

// From the first kernel of a step to that of the next one; the last step's end is not known.
TEST(TraceSummary, AStepLastsUntilTheNextOne) {
  std::vector<TracedKernel> kernels;
  for (int step = 0; step < 3; ++step) {
    kernels.push_back({.start = 100.0 * step + 10, .duration = 20.0 + step});
  }
  const Summary summary =
      summary_of(kernels, {step_event(1, 0, 100), step_event(2, 100, 100), step_event(3, 200, 30)});
  EXPECT_EQ(summary.steps, 3u);
  ASSERT_EQ(summary.step_s.values.size(), 2u);
  EXPECT_NEAR(summary.step_s.mean, 100e-6, 1e-12);
  EXPECT_NEAR(summary.seconds_of(KernelClass::product), 21e-6, 1e-12);
}

// Each step launches kernels that run into the time of the next one.
TEST(TraceSummary, PartsOfAStepAddUpToItHoweverKernelsOverlap) {
  std::vector<TracedKernel> kernels;
  std::vector<std::string> steps;
  for (int step = 0; step < 5; ++step) {
    const double begin = 1000.0 * step;
    steps.push_back(step_event(step, begin, 1000));
    kernels.push_back({.start = begin + 100, .duration = 600, .launched = begin + 10});
    kernels.push_back(
        {.start = begin + 700, .duration = 700, .stream = 13, .launched = begin + 20});
    kernels.push_back({.name = kReduce,
                       .start = begin + 850,
                       .duration = 900,
                       .stream = 20,
                       .launched = begin + 30});
  }
  const Summary summary = summary_of(kernels, steps);
  EXPECT_NEAR(summary.step_s.mean, 1000e-6, 1e-12);
  EXPECT_NEAR(summary.compute_s + summary.exposed_s + summary.idle_s, summary.step_s.mean, 1e-12);
  // Four steps in whose time kernels compute: from 100 to 1100 in all, beyond the first without a gap.
  EXPECT_NEAR(summary.compute_s, 1000e-6, 1e-12);
  EXPECT_NEAR(summary.idle_s, 0, 1e-12);
  EXPECT_NEAR(summary.seconds_of(KernelClass::product), 1300e-6, 1e-12);
}

// The all_reduce runs for 50 us beside no other kernel.
TEST(TraceSummary, ATimeIsBusyWhicheverStepLaunchedTheKernel) {
  const Summary summary = summary_of({{.start = 0, .duration = 10},
                                      {.name = kReduce, .start = 20, .duration = 50, .launched = 5},
                                      {.start = 100, .duration = 10},
                                      {.name = kReduce, .start = 120, .duration = 5}},
                                     {step_event(1, 0, 99), step_event(2, 99, 99)});
  EXPECT_NEAR(summary.step_s.mean, 100e-6, 1e-12);
  EXPECT_NEAR(summary.compute_s, 10e-6, 1e-12);
  EXPECT_NEAR(summary.exposed_s, 50e-6, 1e-12);
}

TEST(TraceSummary, LeavesOutAStepThatWasNotRecordedWhole) {
  std::vector<TracedKernel> kernels{{.start = 90, .duration = 5}};
  for (int step = 1; step < 3; ++step) {
    for (int i = 0; i < 5; ++i) kernels.push_back({.start = 100.0 * step + 10 * i, .duration = 5});
  }
  const Summary summary =
      summary_of(kernels, {step_event(1, 0, 99), step_event(2, 99, 100), step_event(3, 199, 100)});
  EXPECT_EQ(summary.left_out, 1u);
  EXPECT_EQ(summary.steps, 2u);
  EXPECT_NEAR(summary.kernels_s, 25e-6, 1e-12);
}

TEST(TraceSummary, RanksAreOfOneJob) {
  const Trace one = parse_trace(trace_of({{}}), "x.json");
  const Trace traces[] = {one, one};
  EXPECT_EQ(input_error_of([&] { static_cast<void>(summarize(traces)); }),
            "x.json: is of rank 3, as another trace is; give each rank once");
  Trace other = one;
  other.rank = 4;
  const Trace ranks[] = {one, other};
  EXPECT_EQ(summarize(ranks).gpus, 2);
  EXPECT_EQ(summarize(ranks).job_ranks, 16);
  const Trace of_larger = [&] {
    Trace trace = other;
    trace.ranks = 32;
    return trace;
  }();
  const Trace jobs[] = {one, of_larger};
  EXPECT_EQ(input_error_of([&] { static_cast<void>(summarize(jobs)); }),
            "x.json: is of a job of 32 ranks, and x.json of one of 16; give traces of one job");
  EXPECT_EQ(summarize(ranks).steps, 2u);
}

}  // namespace
}  // namespace sim::trace
