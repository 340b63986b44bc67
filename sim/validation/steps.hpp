// SPDX-License-Identifier: Apache-2.0
// Published training steps beside their predictions, in tables of one form: models with experts, and long
// sequences. Each row is a job of `run`; sim/validation/blind.hpp says how efficiencies are learnt.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/validation/blind.hpp"
#include "sim/validation/training.hpp"

namespace sim::validation {

// Columns of the tables besides those of TrainingRow.
struct StepRow {
  TrainingRow run;         // `flags` without a dispatcher
  std::string group;       // runs of one source on one kind of cluster
  std::string dispatcher;  // as the source says: "deepep-uccl"
  double gflop_per_token = 0;
  double peak_tflops = 0;
  std::optional<double> tflops_per_gpu;

  [[nodiscard]] bool is_modelled() const { return !run.model.empty(); }
};

// traces/published/NAME.csv, from the folder that contains traces/published. Throws InputError.
[[nodiscard]] std::vector<StepRow> read_steps(const std::filesystem::path& folder,
                                              const std::string& name);
// Of a published name: itself or what it begins with, if it is modelled; else all_to_all.
[[nodiscard]] std::string modelled_dispatcher(const std::string& published);

// Ways to predict a row, in tokens per second and GPU; 0 where it is not predicted so.
struct StepColumns {
  double blind = 0;  // with the default efficiency of the cluster: no row of the table is used
  double left_out =
      0;  // with one efficiency, from the other sources: the table's, and of dense models
  double fitted = 0;        // with one efficiency for the row's group, which the row is one of
  double serial = 0;        // as left_out, but summed (sim/validation/serial.hpp)
  double constant_mfu = 0;  // of the other sources: their median, by `gflop_per_token`
  double efficiency = 1;    // of left_out
};
using StepColumn = double StepColumns::*;

struct StepCurve {
  TimeCurve curve;
  double by_default = 1;  // efficiency of the cluster
};
// Runs of dense models, whose kernels lose as much to those that were timed alone. A source that is in
// both tables is one.
struct DenseRuns {
  std::vector<TrainingRow> rows;
  std::vector<TimeCurve> curves;  // by row
};
// By row; of rows without a curve, which nothing is learnt from, `efficiency` and `constant_mfu` alone.
[[nodiscard]] std::vector<StepColumns> step_columns(
    const std::vector<StepRow>& rows, const std::vector<std::optional<StepCurve>>& curves,
    const DenseRuns& dense = {});

// Two rows that differ in one thing.
struct StepPair {
  std::string id, without, with;        // ids of rows
  double published = 1, predicted = 1;  // time with over without; predicted by left_out
  [[nodiscard]] bool is_right() const {
    return predicted != 1 && (predicted < 1) == (published < 1);
  }
};
// Those of traces/published/step_pairs.csv that are pairs of these rows.
[[nodiscard]] std::vector<StepPair> step_pairs(const std::filesystem::path& folder,
                                               const std::vector<StepRow>& rows,
                                               const std::vector<StepColumns>& predictions);

struct StepErrors {
  int groups = 1, rows = 0;
  double mean = 0;  // of absolute logarithms; of all: over groups, of their means
  double bias = 0;  // of logarithms of predicted over measured
  double worst = 0;
};
struct StepScores {
  std::map<std::string, StepErrors> by_group;
  std::optional<StepErrors> all;
};
// Of the rows that count and have the prediction.
[[nodiscard]] StepScores step_scores(const std::vector<StepRow>& rows,
                                     const std::vector<StepColumns>& predictions,
                                     StepColumn column);

// The largest relative distance of `model_flop`, FLOP of a token, from what the row's TFLOP/s and tokens/s
// say.
[[nodiscard]] std::optional<double> flop_error(const StepRow& row, double model_flop);

}  // namespace sim::validation
