// SPDX-License-Identifier: Apache-2.0
// What would have to be true for a fit to be right, where that is hard to believe: flags of another
// job, or something that the model lacks, must not become constants of a cluster.
#pragma once

#include <string>
#include <vector>

#include "sim/fit/fit.hpp"
#include "sim/study/fit/likely_fit.hpp"

namespace sim::study {

// A sentence for each constant that is far from what such parts do, and for times that are far from
// the fit. Empty: nothing is wrong.
[[nodiscard]] std::vector<std::string> misfits_of(const LikelyFit& fit, const MeasuredTimes& times);

// The same of constants of collectives. `fit_error` and `base_error`: of their times, means of absolute
// relative errors.
[[nodiscard]] std::vector<std::string> misfits_of(const fit::Fit& fitted, double fit_error,
                                                  double base_error);

}  // namespace sim::study
