// SPDX-License-Identifier: Apache-2.0
// The planner's lower bound of a step whose experts lie on ranks of their own, or whose ranks share
// sequences, with each overlap: never above what is simulated.
#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "sim/study/search/first_bound.hpp"
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

}  // namespace
}  // namespace sim::study
