// SPDX-License-Identifier: Apache-2.0
// The planner's second bound, from the order of each stage alone: never above what is simulated, and
// close where a stage waits for its own weights.
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <random>
#include <string>

#include "sim/engine/simulate.hpp"
#include "sim/study/search/first_bound.hpp"
#include "tests/apps/jobs.hpp"

namespace sim::study {
namespace {

double whole_step_s(const Job& job, const Setup& setup) {
  const PlannedStep step = plan_step(job.context(setup), setup.scheme);
  return simulate(step.schedule, step.wiring).makespan_s;
}

// Each layer is a chunk of its own, so that no gather begins before the layer before it has ended.
TEST(OrderedBound, KnowsThatChunksDoNotPrefetchEachOther) {
  const Job job = apps_tests::job_of(
      "--topology dgx_h100_x16 --nodes 2 --model gpt_1.3b --attention fused --zero 3 --pp 2 "
      "--virtual-stages 12 --accumulation 4 --overlap all --set network.nic_bandwidth=50Gbps");
  const auto& setup = job.setups.front();
  FirstBounds bounds;
  const double first_s = bounds.of(job, setup).seconds(job.cluster());
  const double ordered_s = bounds.in_order_s(job, setup);
  const double step_s = whole_step_s(job, setup);
  EXPECT_LE(ordered_s, step_s);
  EXPECT_GE(ordered_s, 0.7 * step_s);
  EXPECT_LE(first_s, 0.8 * ordered_s);
}

std::string any_order(std::mt19937& random) {
  const auto one_of = [&](std::initializer_list<const char*> all) {
    return std::string(all.begin()[random() % all.size()]) + " ";
  };
  return "--topology " +
         one_of({"dgx_h100_x16", "aws_p4d", "roce_a100_2to1", "gb200_nvl72", "perlmutter"}) +
         "--nodes " + one_of({"1", "2", "2", "3", "4"}) + "--model " +
         one_of({"gpt_1.3b --set model.layers=8", "llama_3_8b --set model.layers=8",
                 "mixtral_8x7b --set model.layers=8", "deepseek_v2_lite --set model.layers=7"}) +
         "--sequence 2048 --attention fused --tp " + one_of({"1", "1", "2", "4"}) + "--pp " +
         one_of({"1", "2", "2", "4"}) + "--virtual-stages " + one_of({"1", "2", "2", "4"}) +
         "--cp " + one_of({"1", "1", "1", "2"}) + "--ep " + one_of({"1", "2", "4", "8"}) +
         one_of({"", "--etp 1"}) + "--sequence-parallel " + one_of({"on", "off"}) + "--placement " +
         one_of({"tp-dp-pp", "tp-pp-dp"}) + "--accumulation " + one_of({"1", "4", "8"}) +
         "--recompute " + one_of({"none", "selective", "full", "alternate"}) + "--overlap " +
         one_of({"none", "all", "weights", "gradients", "tensor,weights", "all,batches"}) +
         "--gradient-precision " + one_of({"fp32", "bf16"}) +
         one_of({"--zero 0 --scheme data_parallel", "--zero 1 --scheme sharded",
                 "--zero 2 --scheme sharded", "--zero 3 --scheme sharded",
                 "--zero 3 --scheme sharded", "--zero 3 --scheme sharded --reshard off",
                 "--zero 3 --scheme sharded --hybrid-shard 4", "--zero 3 --scheme zeropp",
                 "--zero 3 --scheme hpz", "--zero 1 --scheme sdp4bit", "--zero 3 --scheme qsdp",
                 "--zero 3 --scheme sharded --unit-layers 2", "--zero 1 --scheme tlq_hs",
                 "--zero 3 --scheme sharded --prefetch 0",
                 "--zero 3 --scheme sharded --backward-prefetch post"}) +
         "--set network.nic_bandwidth=" + one_of({"25Gbps", "100Gbps", "400Gbps"});
}

TEST(OrderedBound, IsNeverAboveWhatIsSimulated) {
  constexpr int kDraws = 150;
  std::mt19937 random(5);
  int run = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::string flags = any_order(random);
    SCOPED_TRACE(flags);
    const std::optional<Job> job = apps_tests::job_if_it_runs(flags);
    if (!job) continue;
    ++run;
    const auto& setup = job->setups.front();
    EXPECT_LE(FirstBounds().in_order_s(*job, setup), whole_step_s(*job, setup));
  }
  EXPECT_GE(run, kDraws / 10);
}

}  // namespace
}  // namespace sim::study
