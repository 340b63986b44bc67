// SPDX-License-Identifier: Apache-2.0
// Published steps of small layers on one node, which the host bounds more often than the GPU, beside
// their predictions (traces/published/host_bound_steps.csv).
//
// One constant is fitted: the time that the host takes to issue a kernel. Each of kHostHalves seeded
// halves of the rows fits it, and the other half is predicted. All else is the default for the GPU.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/validation/study.hpp"

namespace sim::validation {

inline constexpr int kHostHalves = 20;
// The least and the most that an issue time is looked for, and the simulated ones in between, in
// seconds: a step's time is a convex, piecewise linear function of it, interpolated between them.
inline constexpr double kHostGrid_s[] = {0,     15e-6, 30e-6,  45e-6, 60e-6,
                                         75e-6, 90e-6, 105e-6, 120e-6};

struct HostStepRow {
  std::string row;  // "host_bound_steps/8 GPUs, tp 4, dp 2, pp 1, 16 x 1024, micro-batch 2 of 32"
  Setup setup;
  double published_s = 0;
  std::vector<double> simulated_s;  // by issue time in kHostGrid_s
  // The serial sum: kernels and bytes one after the other or the issue of all kernels, whichever is
  // longer; times the fill of the pipeline.
  double serial_s = 0;
  double launches = 0;
  double fill = 1;

  [[nodiscard]] double simulated(double issue_s) const;
  [[nodiscard]] double serial(double issue_s) const;
  [[nodiscard]] double without_host() const { return simulated_s.front(); }
};

struct HostHalf {
  double issue_s = 0, serial_issue_s = 0;  // fitted on the half
  std::vector<std::size_t> others;         // the rows that it left out
  Errors simulated, without_host, serial;  // of those
};

struct HostStudy {
  std::vector<HostStepRow> rows;
  std::vector<HostHalf> halves;
  HostHalf all;  // fitted on all rows, whose errors are not held out
};

// As published, without predictions, from the folder that contains traces/published.
[[nodiscard]] std::vector<HostStepRow> read_host_steps(const std::filesystem::path& folder);
// One tick per row.
[[nodiscard]] HostStudy predict_host(const std::filesystem::path& folder,
                                     std::vector<HostStepRow> rows, int jobs, const Tick& tick);

// The mean error over rows of all halves, and the highest mean error of one half.
struct HeldOut {
  double mean = 0, worst_half = 0;
};
[[nodiscard]] HeldOut held_out(const HostStudy& study, Errors HostHalf::*way);

// The mean prediction of a row over the halves that left it out.
[[nodiscard]] double left_out_s(const HostStudy& study, std::size_t row);

}  // namespace sim::validation
