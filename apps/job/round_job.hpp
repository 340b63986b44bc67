// SPDX-License-Identifier: Apache-2.0
// RoundJob: the input of simulations by `run` and `solve` for a topology of several sites.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/job/job.hpp"
#include "sim/rounds/round_report.hpp"

namespace apps {

// All data from files, ready to simulate.
struct RoundJob {
  sim::WideArea area;
  sim::Model model;
  std::vector<sim::Calibration> calibrations;  // by table of sites
  sim::Parallelism parallelism;
  sim::Scheme inner;
  std::vector<sim::Scheme> schemes;
  std::vector<sim::Setting> scheme_settings;
  std::optional<sim::Seconds> deadline;

  [[nodiscard]] sim::RoundContext context() const {
    return {area, model, calibrations, parallelism, inner};
  }
  // With those of scheme_settings that apply to the scheme.
  [[nodiscard]] sim::Scheme with_taken_settings(const sim::Scheme& scheme) const;
};

// Whether `name` means a file of several sites: a shipped one, or one with tables [sites.NAME].
[[nodiscard]] bool is_wide_area(const std::string& name);
// The file shipped under this name, or at this path.
[[nodiscard]] sim::WideArea read_wide_area(const std::string& name,
                                           const std::vector<sim::Setting>& settings);
// Reads the files and checks the flags. Throws InputError.
[[nodiscard]] RoundJob read_round_job(const JobOptions& options);

// The report of a round of one of its schemes, with its codec's error.
[[nodiscard]] sim::Report report_round(const RoundJob& job, const sim::Scheme& scheme,
                                       const sim::RoundResult& result);
// The same, after simulating the round.
[[nodiscard]] sim::Report report_round(const RoundJob& job, const sim::Scheme& scheme);

}  // namespace apps
