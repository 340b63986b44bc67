// SPDX-License-Identifier: Apache-2.0
// The times of steps that a search keeps.
#include "sim/study/search/step_times.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/apps/jobs.hpp"

namespace apps_tests {
namespace {

TEST(StepTimes, AreOfOneSetupWhicheverFieldAnotherDiffersIn) {
  const sim::study::Job job =
      job_of("--topology dgx_h100_x16 --model gpt_125m --nodes 2 --scheme data_parallel");
  const sim::study::Setup setup = job.setups.front();
  sim::study::StepTimes times(job);
  constexpr double kForever = 1e9;
  times.know(setup, kForever);
  EXPECT_EQ(times.at_least(setup), kForever);
  const std::vector<std::function<void(sim::study::Setup&)>> changes{
      [](sim::study::Setup& s) { s.parallelism.counted_ends = sim::CountedEnds::head; },
      [](sim::study::Setup& s) { s.parallelism.loss = sim::Loss::fused; },
      [](sim::study::Setup& s) { s.parallelism.sharding.prefetch_after_backward = true; },
      [](sim::study::Setup& s) {
        s.parallelism.overlap.pipeline = !s.parallelism.overlap.pipeline;
      },
      [](sim::study::Setup& s) { s.scheme.name = "another"; },
      [](sim::study::Setup& s) { s.scheme.gradients.slices = 2; },
      [](sim::study::Setup& s) { s.scheme.gradients.fused_hadamard = false; },
      [](sim::study::Setup& s) { s.scheme.activations.pipeline = {}; },
      [](sim::study::Setup& s) { s.scheme.overlap.weights = false; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    sim::study::Setup other = setup;
    changes[i](other);
    EXPECT_LT(times.at_least(other), kForever) << "change " << i;
  }
}

}  // namespace
}  // namespace apps_tests
