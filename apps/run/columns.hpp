// SPDX-License-Identifier: Apache-2.0
// The columns of `run`: which setups it simulates, with which baselines.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/run/run_options.hpp"
#include "sim/study/search/step_times.hpp"

namespace apps {

// One side of a comparison: the setup that is shown, and those of which it is the fastest.
struct Chosen {
  Setup setup;
  std::vector<Setup> choices;
  bool chosen = false;
};

// What is simulated, in the order of the answer.
struct Column {
  Chosen side;
  std::optional<Chosen> baseline = {};
  bool is_given = false;
  bool is_shown = true;  // else to be compared with only
};

class Columns {
 public:
  // Reads, and refuses all that can be refused before the first simulation.
  explicit Columns(const RunOptions& options);

  [[nodiscard]] const Job& job() const { return job_; }
  // Whether the baseline is the best one, of a cluster's steps.
  [[nodiscard]] bool has_best() const { return wants_best_; }
  // Searches what is to be chosen; `times` are of the job.
  [[nodiscard]] std::vector<Column> choose(sim::study::StepTimes& times) const;

 private:
  void check_setups() const;
  void require_fit() const;
  [[nodiscard]] Chosen side_of(const Setup& setup, sim::study::StepTimes& times) const;
  [[nodiscard]] Chosen fastest_of(std::span<const sim::Scheme> schemes,
                                  sim::study::StepTimes& times) const;

  const RunOptions& options_;
  Job job_;
  Job searched_;  // what a search keeps to
  const bool wants_best_;
  std::vector<Setup> baselines_;  // by setup of the job, as given; none where there is one for all
};

}  // namespace apps
