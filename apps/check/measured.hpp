// SPDX-License-Identifier: Apache-2.0
// check --measured: one's own measured steps beside what is predicted of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "apps/commands.hpp"

namespace apps {

struct MeasuredCheck {
  std::string steps;                // a CSV file, see apps/job/measured_steps.hpp
  std::vector<std::string> traces;  // of the only step
  Arguments job_flags;              // those of every row
  int jobs = 1;
};

// Throws an InputError for flags that apply to baselines alone, and without a topology.
void check_measured_flags(const std::set<std::string>& given, bool has_topology);
// Throws an InputError for flags of a job, or traces, without measured steps.
void refuse_measured_flags(const std::set<std::string>& given, bool has_traces);

// Prints each step, and with traces its kernels, with the likely range of the prediction. 1 where one
// lies outside, else 0. Throws InputError.
[[nodiscard]] int check_measured(const MeasuredCheck& options);

}  // namespace apps
