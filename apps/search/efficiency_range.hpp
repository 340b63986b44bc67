// How far the compute efficiency may be off, and what that alone makes of an answer.
#pragma once

#include <string>

#include "apps/job/round_job.hpp"

namespace apps {

// How far a constant may be off: the standard deviation of its logarithm, so 0.1 is about 10 %.
struct Spread {
  double of_logarithm = 0;
  std::string source;
};

// Narrow where the efficiency was fitted on rows that the cluster's file names, or products were
// measured on this GPU; that of published runs where it is a default; wide where it was typed by
// hand.
[[nodiscard]] Spread efficiency_spread(const sim::Cluster& cluster,
                                       const sim::Calibration& calibration);

// The answer one such spread below the efficiency and one above it, at most all of the roofline; all
// else stays. Two simulations. `report` is of the job as it is.
[[nodiscard]] sim::EfficiencyRange range_of(const Job& job, const Setup& setup,
                                            const sim::StepReport& report);
// The same of rounds, every site's efficiency off in the same direction, by its own spread.
[[nodiscard]] sim::EfficiencyRange range_of(const RoundJob& job, const sim::OuterScheme& scheme);

// The job with so many spreads more of the efficiency: -1 or 1.
[[nodiscard]] Job off_by(Job job, double spreads);
[[nodiscard]] RoundJob off_by(RoundJob job, double spreads);

}  // namespace apps
