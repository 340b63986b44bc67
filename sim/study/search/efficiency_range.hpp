// SPDX-License-Identifier: Apache-2.0
// The possible error of the compute efficiency, and its effect on an answer.
#pragma once

#include <string>

#include "sim/report/report.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

// The possible error of a constant: the standard deviation of its logarithm, so 0.1 is about 10 %.
struct Spread {
  double of_logarithm = 0;
  std::string source;
};

// Narrow if the efficiency was fitted on rows named by the cluster's file, or products were
// measured on this GPU; that of published runs for a default; wide if it was set by hand.
[[nodiscard]] Spread efficiency_spread(const Cluster& cluster, const Calibration& calibration);

// The answer with every site's efficiency one such spread lower and one higher, at most the whole
// roofline; everything else stays. Two simulations. `report` is of the unchanged job.
[[nodiscard]] EfficiencyRange range_of(const Job& job, const Setup& setup, const Report& report,
                                       int jobs = 1);

// The job with the efficiency this many spreads higher: -1 or 1.
[[nodiscard]] Job off_by(Job job, double spreads);

}  // namespace sim::study
