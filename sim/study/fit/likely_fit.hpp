// SPDX-License-Identifier: Apache-2.0
// The most likely constants of a job, given measured times and what was known before.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/study/fit/fitted_constants.hpp"
#include "sim/study/fit/posterior.hpp"

namespace sim::study {

struct LikelyFit : ComputeFit {
  std::vector<DoubtfulConstant> used;  // those on which the times depend, as the base has them
  Optimum optimum;                     // of what was fitted
  double deviation = 0;                // of a step's logarithm about the fit
  std::vector<std::size_t>
      outliers;  // steps that are more than kOutlierDeviations off the others' fit
};

// `job` has the base's constants.
[[nodiscard]] LikelyFit fit_times(std::span<const JobConstant> constants, const Job& job,
                                  const MeasuredTimes& times);

}  // namespace sim::study
