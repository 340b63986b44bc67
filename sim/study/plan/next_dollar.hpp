// SPDX-License-Identifier: Apache-2.0
// Where a plan's next dollar should go: the throughput gained from improving each part, and the
// resulting saving.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/job.hpp"
#include "sim/study/plan/goal.hpp"

namespace sim::study {

struct Improvement {
  std::string name, meaning;  // of an assumption (sim/study/search/assumptions.hpp)
  double sensitivity = 0;     // percent more throughput per percent more of it; by re-simulation
  // From ten percent more of a part that speeds the step up, or ten percent less of one that slows
  // it down, for the same tokens:
  double saves_usd = 0;
  std::optional<double> costs_usd = {};  // if the cluster's file gives it
};

// Of a step or a round, and of the whole training on the job's topology.
struct Trained {
  double step_s = 0;
  Price price;
  Seconds time;
};

// Best first; simulates `jobs` at a time.
[[nodiscard]] std::vector<Improvement> improvements(const Job& job, const Setup& setup,
                                                    const Trained& now, int jobs);

}  // namespace sim::study
