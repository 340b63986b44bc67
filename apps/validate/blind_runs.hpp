// SPDX-License-Identifier: Apache-2.0
// The rows of the training data set as jobs: simulated at any compute efficiency, without a constant
// of their own cluster.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/read_job.hpp"
#include "sim/validation/blind.hpp"

namespace apps {

struct BlindRun {
  Job job;
  Setup setup;
};

// The words of flags without blanks in their values.
[[nodiscard]] Arguments arguments_of(const std::string& flags);
// The arguments of `run` for the row.
[[nodiscard]] Arguments run_arguments(const sim::validation::TrainingRow& row);
// A step, or a round of sites. Throws an InputError that begins with `name` if `run` refuses the
// arguments.
[[nodiscard]] BlindRun single_run(const std::string& name, const Arguments& arguments);
// The same of a step alone.
[[nodiscard]] BlindRun training_run(const std::string& name, const Arguments& arguments);
// With `more` arguments. Throws an InputError also if it runs on another number of GPUs than the row says.
[[nodiscard]] BlindRun run_of(const sim::validation::TrainingRow& row, const Arguments& more = {});

// Seconds per token and GPU of the cluster as it is.
[[nodiscard]] double token_seconds(const BlindRun& run);
// Without a fitted constant, at an efficiency; by sim::validation::serial_seconds().
[[nodiscard]] double token_seconds(BlindRun run, double efficiency);
[[nodiscard]] double serial_token_seconds(BlindRun run, double efficiency);

// Calls `step` before each simulation.
[[nodiscard]] std::vector<sim::validation::TimeCurve> time_curves(
    const std::vector<BlindRun>& runs, int jobs, const std::function<void()>& step);

struct CurvesOfRuns {
  std::vector<BlindRun> runs;
  std::vector<sim::validation::TimeCurve> curves;
};
// With power throttling, where the power of the GPU's kernels is known.
[[nodiscard]] BlindRun throttled_run_of(const sim::validation::TrainingRow& row);
// By row, `throttled` or not. Shows progress.
[[nodiscard]] CurvesOfRuns curves_of(const std::vector<sim::validation::TrainingRow>& rows,
                                     int jobs, bool throttled = false);

}  // namespace apps
