// SPDX-License-Identifier: Apache-2.0
// Fits constants of a job to measured times: least squares of the logarithms (Levenberg-Marquardt),
// with as many constants as the times determine and predict left-out ones better with.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/fit/fit.hpp"
#include "sim/study/fit/job_constants.hpp"

namespace sim::study {

struct ConstantValue {
  const JobConstant* constant = nullptr;
  double value = 0;
};
using ConstantValues = std::vector<ConstantValue>;

// The job with these values; a rest is not in it.
[[nodiscard]] Job with_constants(Job job, const ConstantValues& values);
// 0 without one.
[[nodiscard]] double rest_of(const ConstantValues& values);

// Times, and how they follow from constants. All above 0.
struct MeasuredTimes {
  std::vector<double> seconds;
  std::vector<double> weights;  // of the squared logarithms, each above 0
  // The same times measured again, if they were: for the intervals.
  std::vector<std::vector<double>> repeated = {};
  // As many as `seconds`.
  std::function<std::vector<double>(const ConstantValues&)> predicted;
  // Whether a constant must also predict left-out times better, as rows of steps that share
  // constants let it. Classes of kernels have constants of their own.
  bool is_cross_validated = false;
};

struct FittedJobConstant {
  const JobConstant* constant = nullptr;
  double base = 0, value = 0;
  std::optional<fit::Interval> interval;  // of 95 %
};
// Why a constant stays what it is.
enum class JobConstantKept {
  unused,     // none of the times depends on it
  not_alone,  // the times do not separate it from those that were fitted
  no_gain,    // with it, left-out times are not predicted better
  too_few     // there are too few times for one more
};
struct KeptJobConstant {
  const JobConstant* constant = nullptr;
  double base = 0;
  JobConstantKept because = JobConstantKept::unused;
};

struct ComputeFit {
  std::vector<FittedJobConstant> fitted;
  std::vector<KeptJobConstant> kept;
  std::vector<double> base_s, fit_s;  // predicted with the base's constants, and with the fit's
  // Each predicted by a fit to the others (to first order); empty if there are too few.
  std::vector<double> without_s;

  [[nodiscard]] ConstantValues values() const;
};

// `job` has the base's constants.
[[nodiscard]] ComputeFit fit_constants(const Job& job, const MeasuredTimes& times);

}  // namespace sim::study
