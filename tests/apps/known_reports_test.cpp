// SPDX-License-Identifier: Apache-2.0
// The reports of steps that a process keeps.
#include "sim/study/known_reports.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/simulation.hpp"
#include "tests/apps/jobs.hpp"

namespace sim::study {
namespace {

constexpr const char* kKnownFlags =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --scheme data_parallel";

using ChangedStep = std::function<void(Job&, Setup&)>;

TEST(KnownReports, AreOfAJobThatIsReadAgainToo) {
  KnownReports reports;
  const Job job = apps_tests::job_of(kKnownFlags), again = apps_tests::job_of(kKnownFlags);
  const auto known = reports.of(job, job.setups.front());
  EXPECT_EQ(known->report.time_s, simulate(job, job.setups.front()).report.time_s);
  EXPECT_EQ(reports.of(again, again.setups.front()), known);
}

TEST(KnownReports, AreOfOneStepWhateverAnotherDiffersIn) {
  const Job job = apps_tests::job_of(kKnownFlags);
  const std::vector<ChangedStep> changes{
      [](Job& j, auto&) { j.cluster() = with_nics(j.cluster(), 0.5); },
      [](Job& j, auto&) { j.model.layers /= 2; },
      [](Job& j, auto&) { j.calibration().attention_slowdown = 2; },
      [](Job& j, auto&) { j.whole = true; },
      [](Job& j, auto&) { j.each_kernel = true; },
      [](Job&, auto& s) { s.parallelism.accumulation = 2; },
      [](Job&, auto& s) { s.scheme.name = "another"; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Job other = job;
    auto setup = job.setups.front();
    changes[i](other, setup);
    KnownReports reports;
    const auto known = reports.of(job, job.setups.front());
    EXPECT_NE(reports.of(other, setup), known) << "change " << i;
    EXPECT_EQ(reports.of(job, job.setups.front()), known) << "change " << i;
  }
}

}  // namespace
}  // namespace sim::study
