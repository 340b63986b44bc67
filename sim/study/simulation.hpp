// SPDX-License-Identifier: Apache-2.0
// The simulation of a job: a step on its cluster, or rounds of its sites.
#pragma once

#include "sim/report/report.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

struct Simulation {
  Schedule schedule;
  Timeline timeline;
  Report report;  // without codec errors
};
[[nodiscard]] Simulation simulate(const Job& job, const Setup& setup);

// Of a step or a round; infinite if the round is aborted.
[[nodiscard]] double seconds_of(const Job& job, const Setup& setup);

}  // namespace sim::study
