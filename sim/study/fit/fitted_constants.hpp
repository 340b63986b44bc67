// SPDX-License-Identifier: Apache-2.0
// Constants of a job that were fitted to measured times, and why others were not.
#pragma once

#include <optional>
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

struct FittedJobConstant {
  const JobConstant* constant = nullptr;
  double base = 0, value = 0;
  std::optional<fit::Interval> interval;  // of 95 %
};
// Why a constant stays what it is.
enum class JobConstantKept {
  unused,     // none of the times depends on it
  not_alone,  // the kernels' times do not separate it from those that were fitted
  not_seen    // the steps tell as good as nothing about it
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
  // Each predicted by a fit to the others (to first order); empty for kernels, and if there are too few.
  std::vector<double> without_s;

  [[nodiscard]] ConstantValues values() const;
};

}  // namespace sim::study
