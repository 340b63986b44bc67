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
  std::vector<double> deviations;      // of their logarithms, by constant of the optimum
  // Times that are more than kOutlierDeviations off what a fit to the others predicts.
  std::vector<std::size_t> outliers;
};

// Of a constant, so many deviations to either side, within what it can be.
[[nodiscard]] fit::Interval interval_of(const DoubtfulConstant& one, double deviation,
                                        double deviations);

// `job` has the base's constants.
[[nodiscard]] LikelyFit fit_times(std::span<const JobConstant> constants, const Job& job,
                                  const MeasuredTimes& times);

}  // namespace sim::study
