// RoundJob: what `run` and `solve` simulate where the topology is several sites.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/job/job.hpp"
#include "sim/rounds/round_report.hpp"

namespace apps {

// Flags that only several sites have.
struct RoundOptions {
  std::string inner_scheme = "sharded";
  std::string deadline;  // empty: none
};

[[nodiscard]] boost::program_options::options_description round_flags(RoundOptions& options);

// Everything that is read from files, ready to simulate.
struct RoundJob {
  sim::WideArea area;
  sim::Model model;
  std::vector<sim::Calibration> calibrations;  // by table of sites
  sim::Parallelism parallelism;
  sim::Scheme inner;
  std::vector<sim::OuterScheme> schemes;
  std::vector<sim::Setting> scheme_settings;
  std::optional<sim::Seconds> deadline;

  [[nodiscard]] sim::RoundContext context() const {
    return {area, model, calibrations, parallelism, inner};
  }
  // With those of scheme_settings whose part the scheme has.
  [[nodiscard]] sim::OuterScheme with_taken_settings(sim::OuterScheme scheme) const;
};

// Whether `name` means a file of several sites: a shipped one, or one with tables [sites.NAME].
[[nodiscard]] bool is_wide_area(const std::string& name);
// The file that is shipped under the name, or is at that path.
[[nodiscard]] sim::WideArea read_wide_area(const std::string& name,
                                           const std::vector<sim::Setting>& settings);
// Reads the files and checks the flags. Throws InputError.
[[nodiscard]] RoundJob read_round_job(const JobOptions& options, const RoundOptions& rounds);

// What a round of one of its schemes means, with its codec's error.
[[nodiscard]] sim::RoundReport report_round(const RoundJob& job, const sim::OuterScheme& scheme,
                                            const sim::RoundResult& result);
// The same, simulated first.
[[nodiscard]] sim::RoundReport report_round(const RoundJob& job, const sim::OuterScheme& scheme);

}  // namespace apps
