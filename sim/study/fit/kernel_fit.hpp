// SPDX-License-Identifier: Apache-2.0
// Fits constants of a job to the times of classes of kernels: least squares of the logarithms
// (Levenberg-Marquardt), with as many constants as the classes determine.
#pragma once

#include <functional>
#include <vector>

#include "sim/study/fit/fitted_constants.hpp"

namespace sim::study {

// Times of classes of kernels, all above 0, and how they follow from constants.
struct KernelTimes {
  std::vector<double> seconds;
  std::vector<double> weights;  // of the squared logarithms, each above 0
  // The same times measured again, if they were: for the intervals.
  std::vector<std::vector<double>> repeated = {};
  // As many as `seconds`.
  std::function<std::vector<double>(const ConstantValues&)> predicted;
};

// `job` has the base's constants.
[[nodiscard]] ComputeFit fit_kernels(const Job& job, const KernelTimes& times);

}  // namespace sim::study
