// SPDX-License-Identifier: Apache-2.0
// The simulation of a job: a step on its cluster, or rounds of its sites.
#pragma once

#include "apps/job/job.hpp"
#include "sim/report/report.hpp"

namespace apps {

struct Simulation {
  sim::Schedule schedule;
  sim::Timeline timeline;
  sim::Report report;  // without codec errors
};
[[nodiscard]] Simulation simulate(const Job& job, const Setup& setup);

// Of a step or a round; infinite if the round is aborted.
[[nodiscard]] double seconds_of(const Job& job, const Setup& setup);

}  // namespace apps
