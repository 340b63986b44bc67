// SPDX-License-Identifier: Apache-2.0
// The planner's lower bound of a step whose experts lie on ranks of their own, or whose ranks share
// sequences, with each overlap: never above what is simulated.
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <random>

#include "sim/engine/simulate.hpp"
#include "sim/study/search/first_bound.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "tests/apps/jobs.hpp"

namespace sim::study {
namespace {

constexpr const char* kJobs[] = {
    "--topology dgx_h100_x16 --nodes 2 --model mixtral_8x7b --set model.layers=4 --sequence 4096 ",
    "--topology dgx_h100_x16 --nodes 2 --model deepseek_v2_lite --set model.layers=5 "};

constexpr const char* kLayouts[] = {
    "--ep 8",
    "--ep 8 --dispatcher deepep",
    "--ep 8 --cp 2",
    "--ep 2 --tp 2 --sequence-parallel on",
    "--ep 4 --tp 2 --etp 1 --sequence-parallel on --accumulation 8",
    "--ep 4 --etp 1 --tp 8 --sequence-parallel on --accumulation 12 --recompute full",
    "--ep 2 --tp 2 --etp 1 --sequence-parallel on --pp 2 --accumulation 8",
    "--ep 2 --tp 4 --etp 1 --sequence-parallel on --pp 2 --virtual-stages 2 --accumulation 8",
    "--ep 2 --pp 4 --micro-batch 8",  // whose messages wait for kernels behind the last exchange
    "--cp 4 --cp-exchange all_gather --accumulation 4",
    "--cp 2 --cp-exchange all_to_all --tp 4 --sequence-parallel on --ep 4 --etp 1 --accumulation 4",
    "--ep 8 --routing random --accumulation 4",
    "--ep 4 --precision fp8 --accumulation 8"};

constexpr const char* kOverlaps[] = {"none",    "gradients,weights", "tensor",     "experts",
                                     "batches", "tensor,batches",    "all,batches"};

void expect_bound_below(const std::string& flags) {
  SCOPED_TRACE(flags);
  const Job job = apps_tests::job_of(flags);
  const auto& setup = job.setups.front();
  const PlannedStep step = plan_step(job.context(setup), setup.scheme);
  const double step_s = simulate(step.schedule, step.wiring).makespan_s;
  const double bound_s = FirstBounds().of(job, setup).seconds(job.cluster());
  EXPECT_LE(bound_s, step_s);
  EXPECT_GE(bound_s, 0.05 * step_s);
}

TEST(ExpertBound, IsNeverAboveWhatIsSimulated) {
  for (const char* job : kJobs) {
    for (const char* layout : kLayouts) {
      for (const char* overlap : kOverlaps) {
        for (const char* zero : {"1", "3"}) {
          expect_bound_below(std::string(job) + layout + " --attention fused --zero " + zero +
                             " --overlap " + overlap);
        }
      }
    }
  }
}

std::string random_job(std::mt19937& random) {
  const auto one_of = [&](std::initializer_list<const char*> all) {
    return std::string(all.begin()[random() % all.size()]) + " ";
  };
  return "--topology " + one_of({"dgx_h100_x16", "aws_p4d", "roce_a100_2to1", "gb200_nvl72"}) +
         "--nodes " + one_of({"1", "2", "2", "3", "4"}) + "--model " +
         one_of({"mixtral_8x7b", "deepseek_v2_lite", "qwen3_30b_a3b"}) +
         "--set model.layers=4 --sequence 4096 --attention fused --tp " +
         one_of({"1", "2", "4", "8"}) + "--pp " + one_of({"1", "1", "2"}) + "--cp " +
         one_of({"1", "1", "2", "4"}) + "--cp-exchange " +
         one_of({"ring", "all_gather", "all_to_all"}) + "--ep " +
         one_of({"1", "2", "4", "8", "16"}) + one_of({"", "--etp 1", "--etp 2"}) +
         "--sequence-parallel " + one_of({"on", "on", "off"}) + "--placement " +
         one_of({"tp-dp-pp", "tp-pp-dp"}) + "--dispatcher " +
         one_of({"all_to_all", "all_to_all", "deepep", "hybridep"}) + "--accumulation " +
         one_of({"1", "3", "12"}) + "--recompute " + one_of({"none", "selective", "full"}) +
         "--overlap " + one_of({"none", "all", "experts", "tensor", "batches"}) + "--zero " +
         one_of({"1", "2", "3"}) + "--scheme " + one_of({"sharded", "sharded", "tlq_hs"}) +
         "--set network.nic_bandwidth=" + one_of({"50Gbps", "400Gbps"});
}

double simulated_s(const Job& job, const Setup& setup, double factor) {
  const Cluster cluster = with_nics(job.cluster(), factor);
  const PlannedStep step = plan_step(job.context(setup, cluster), setup.scheme);
  return simulate(step.schedule, step.wiring).makespan_s;
}

// With these NICs and others.
void expect_bounds_below(std::uint32_t seed, int draws) {
  std::mt19937 random(seed);
  int run = 0;
  for (int i = 0; i < draws; ++i) {
    const std::string flags = random_job(random);
    SCOPED_TRACE(flags);
    const std::optional<Job> job = apps_tests::job_if_it_runs(flags);
    if (!job) continue;
    ++run;
    const auto& setup = job->setups.front();
    const FirstBound bound = FirstBounds().of(*job, setup);
    for (const double factor : {0.25, 1.0, 8.0}) {
      EXPECT_LE(bound.seconds(job->cluster(), factor), simulated_s(*job, setup, factor)) << factor;
    }
  }
  EXPECT_GE(run, draws / 10);
}

TEST(ExpertBound, HoldsForLayoutsAtRandom) { expect_bounds_below(11, 80); }

}  // namespace
}  // namespace sim::study
