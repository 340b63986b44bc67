// SPDX-License-Identifier: Apache-2.0
// Simulations in several threads of one process, each planned by the thread that simulates it, so
// that others fork meanwhile. glibc hands a forked child its allocator with no lock held; that of
// clang 14's address sanitizer does not, so this is with the tests that are not built with it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "sim/base/parallel.hpp"
#include "sim/study/simulation.hpp"
#include "tests/apps/jobs.hpp"

namespace apps_tests {
namespace {

using sim::study::Job;

TEST(ParallelSimulations, AgreeToTheLastBitOnAnyNumberOfThreads) {
  const Job job = job_of(
      "--topology sdp4bit_a100 --nodes 2 --model gpt_125m --set model.layers=2 --whole "
      "--scheme sharded,sdp4bit,qwd,tlq_hs");
  const auto ends = [&](int jobs) {
    return sim::in_parallel(jobs, 40, [&](std::size_t i) {
      Job changed = job;
      changed.cluster().fitted.compute_efficiency = 0.3 + 0.01 * static_cast<double>(i);
      return sim::study::simulate(changed, job.setups[i % job.setups.size()]).timeline.end_s;
    });
  };
  const auto one_by_one = ends(1);
  EXPECT_NE(one_by_one[0], one_by_one[4]);
  EXPECT_EQ(ends(2), one_by_one);
  EXPECT_EQ(ends(8), one_by_one);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD) << "a child was left";
}

}  // namespace
}  // namespace apps_tests
