// What the next dollar of a plan should buy: what its throughput gains from each part being better,
// and what of its price that saves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/job/round_job.hpp"
#include "apps/plan/goal.hpp"

namespace apps {

struct Improvement {
  std::string name, meaning;  // of an assumption (apps/search/assumptions.hpp)
  double sensitivity = 0;     // percent more throughput for a percent more of it; by re-simulation
  // Of a tenth more of what makes the step faster, or as much less of what makes it slower, and as
  // many tokens:
  double saves_usd = 0;
  std::optional<double> costs_usd = {};  // where the cluster's file says it
};

// Best first. `price` is that of `time` on the job's cluster.
[[nodiscard]] std::vector<Improvement> improvements(const Job& job, const Setup& setup,
                                                    double step_time_s, const Price& price,
                                                    sim::Seconds time);
// Of rounds between sites.
[[nodiscard]] std::vector<Improvement> improvements(const RoundJob& job,
                                                    const sim::OuterScheme& scheme,
                                                    double round_time_s, const Price& price);

}  // namespace apps
