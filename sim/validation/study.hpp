// SPDX-License-Identifier: Apache-2.0
// Study: a set of published measurements, their predictions, and the errors.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/validation/predict.hpp"
#include "sim/validation/published.hpp"

namespace sim::validation {

// Ways to predict the same number.
struct Columns {
  double blind = 0;       // data sheets only, kernels on the roofline
  double by_default = 0;  // the same with the default of the compute efficiency
  double fitted = 0;      // with the clusters' fitted constants and the calibration
  double null_model = 0;  // predict_null() with the same constants
  double null_refit = 0;  // predict_null() with its own, fitted on the same rows
};
using Column = double Columns::*;

struct Row {
  Measurement measured;
  bool used_in_fit = false;      // a constant was fitted on this row
  bool used_in_default = false;  // the default compute efficiency rests on its source
  Columns predicted;
};

// Speed-up of a scheme over the uncompressed row of the same table, cluster and model, in TFLOPs.
struct SpeedUp {
  std::string row;  // the scheme's row
  std::string cluster, model;
  double published = 0;
  bool used_in_fit = false;      // a constant was fitted on a row of this model
  bool used_in_default = false;  // the default rests on one of the two rows
  Columns predicted;
};

struct Errors {
  double mean = 0, worst = 0;  // relative, absolute values
  std::string worst_row;
  int count = 0;
  void add(double predicted, double measured, const std::string& row);
};

// How often predictions and measurements agree on the faster scheme.
struct Ranking {
  int best_right = 0, groups = 0;  // the measured best scheme of a table, cluster and model
  int pairs_right = 0, pairs = 0;  // pairs of its schemes with different throughputs
};

// Called before each unit of long work, from any of the threads that do it.
using Tick = std::function<void()>;

// SDP4Bit (arXiv 2410.15526), tables 2 and 4, from the folder that contains traces/published.
[[nodiscard]] std::vector<Measurement> read_sdp4bit(const std::filesystem::path& folder);

// One tick per row. Predicts `jobs` rows at once.
[[nodiscard]] std::vector<Row> predict_rows(const Inputs& inputs,
                                            const std::vector<Measurement>& measurements, int jobs,
                                            const Tick& tick);
[[nodiscard]] std::vector<SpeedUp> speed_ups(const std::vector<Row>& rows);

// The table of a row: "sdp4bit_throughput".
[[nodiscard]] std::string_view table_of(std::string_view row);

// Over the rows of `table` and `metric` that no constant was fitted on; by_default also leaves out
// those that the default rests on.
[[nodiscard]] Errors row_errors(const std::vector<Row>& rows, std::string_view table, Metric metric,
                                Column column);
// Over all speed-ups of `table`, or only over models that no constant was fitted on.
[[nodiscard]] Errors speed_up_errors(const std::vector<SpeedUp>& all, std::string_view table,
                                     Column column, bool without_fitted);
[[nodiscard]] Ranking ranking(const std::vector<Row>& rows, Column column);

// The measurements of a cluster listed in its file under [fitted].
[[nodiscard]] std::vector<Measurement> fit_rows(const Inputs& inputs, const std::string& cluster,
                                                const std::vector<Measurement>& measurements);

// Models of `table`; a model on two clusters counts twice.
[[nodiscard]] int model_count(const std::vector<Measurement>& measurements, std::string_view table);

// Throughputs of each model of `table`, with the constants of its cluster fitted on the
// uncompressed rows of all other models. One tick per model.
[[nodiscard]] Errors leave_one_out(const Inputs& inputs,
                                   const std::vector<Measurement>& measurements,
                                   std::string_view table, int jobs, const Tick& tick);

}  // namespace sim::validation
