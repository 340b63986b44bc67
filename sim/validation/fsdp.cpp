// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/fsdp.hpp"

#include <algorithm>
#include <set>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/validation/fit.hpp"
#include "sim/workload/parameters.hpp"

namespace sim::validation {
namespace {

// The FLOP of a token as both publications count them: 6 a parameter, and for attention 12 times
// layers, hidden size and sequence. llm-foundry takes all parameters, torchtitan
// (get_num_flop_per_token) leaves the embedding out; MPT's is the output projection too.
double flop_per_token(const Model& model) {
  const std::int64_t looked_up = model.tied_embeddings ? 0 : end_parameters(model).words;
  const auto parameters = static_cast<double>(total_parameters(model) - looked_up);
  return 6 * parameters +
         12 * static_cast<double>(query_width(model)) * model.layers * model.sequence;
}

std::vector<Measurement> measurements_of(const std::vector<FsdpRow>& rows) {
  std::vector<Measurement> all;
  for (const FsdpRow& row : rows) all.push_back(row.measured);
  return all;
}

std::vector<const FsdpRow*> fit_rows_of(const std::vector<FsdpRow>& rows,
                                        const std::string& group) {
  std::vector<const FsdpRow*> used;
  for (const FsdpRow& row : rows) {
    if (row.group == group && row.used_in_fit) used.push_back(&row);
  }
  require(!used.empty(), "every group has a row of one node");
  return used;
}

// The highest compute efficiency that one of the group's rows of one node gives.
Fitted fit_group(Inputs inputs, const std::vector<FsdpRow>& rows, const std::string& group) {
  Fitted highest;
  std::vector<std::string> names;
  for (const FsdpRow* row : fit_rows_of(rows, group)) {
    const std::string& cluster = row->measured.setup.cluster;
    inputs.clusters.at(cluster).fitted = {.compute_efficiency = 1, .rows = {row->measured.row}};
    const Fitted fitted = fit(inputs, cluster, {row->measured});
    names.push_back(row->measured.row);
    if (fitted.compute_efficiency > highest.compute_efficiency) highest = fitted;
  }
  highest.rows = names;
  return highest;
}

// The highest of the group's published utilisations on one node.
double utilisation_of_group(const std::vector<FsdpRow>& rows, const std::string& group) {
  double highest = 0;
  for (const FsdpRow* row : fit_rows_of(rows, group)) {
    highest = std::max(highest, row->mfu(row->measured.value));
  }
  return highest;
}

void predict_row(FsdpRow& row, const Inputs& unfitted, const Fitted& fitted) {
  Inputs inputs = unfitted;
  inputs.clusters.at(row.measured.setup.cluster).fitted = fitted;
  const Prediction prediction = predict(inputs, row.measured.setup);
  row.predicted.blind =
      predict(data_sheets_only(unfitted), row.measured.setup).of(row.measured.metric);
  row.predicted.by_default =
      predict(by_default(unfitted, row.measured.setup), row.measured.setup).of(row.measured.metric);
  row.used_in_default = rests_on(unfitted, row.measured);
  row.predicted.fitted = prediction.of(row.measured.metric);
  row.memory_bytes = prediction.memory_bytes;
  row.fits_memory = prediction.fits_memory;
}

bool same_batch(const FsdpRow& a, const FsdpRow& b) {
  const Parallelism& p = a.measured.setup.parallelism;
  const Parallelism& q = b.measured.setup.parallelism;
  return p.micro_batch == q.micro_batch && p.accumulation == q.accumulation;
}

ScaleChange change_of(const FsdpRow& few, const FsdpRow& many) {
  ScaleChange change{.series = few.series, .of_throughput = same_batch(few, many)};
  const auto points = [&](double before, double after) {
    return 100 * (change.of_throughput ? after / before - 1 : many.mfu(after) - few.mfu(before));
  };
  change.published = points(few.measured.value, many.measured.value);
  for (const Column column :
       {&Columns::blind, &Columns::by_default, &Columns::fitted, &Columns::null_model}) {
    change.predicted.*column = points(few.predicted.*column, many.predicted.*column);
  }
  return change;
}

}  // namespace

FsdpStudy predict_fsdp(const std::filesystem::path& folder, std::vector<FsdpRow> rows, int jobs,
                       const Tick& tick) {
  const Inputs inputs = without_fits(read_inputs(folder, measurements_of(rows)));
  for (FsdpRow& row : rows) {
    const Setup& setup = row.measured.setup;
    const Gpu& gpu = inputs.clusters.at(setup.cluster).gpu;
    row.tokens_at_peak =
        gpu.bf16.base() / gpu.clock / flop_per_token(inputs.models.at(setup.model));
  }
  FsdpStudy study;
  std::set<std::string> names;
  for (const FsdpRow& row : rows) names.insert(row.group);
  const std::vector<std::string> groups(names.begin(), names.end());
  const auto fits = in_parallel(jobs, groups.size(),
                                [&](std::size_t i) { return fit_group(inputs, rows, groups[i]); });
  for (std::size_t i = 0; i < groups.size(); ++i) study.constants[groups[i]] = fits[i];
  for_each_in_parallel(jobs, rows.size(), [&](std::size_t i) {
    tick();
    FsdpRow& row = rows[i];
    predict_row(row, inputs, study.constants.at(row.group));
    row.predicted.null_model = row.tokens_at_peak * utilisation_of_group(rows, row.group);
  });
  study.rows = std::move(rows);
  return study;
}

Errors fsdp_errors(const std::vector<FsdpRow>& rows, std::string_view table, Column column) {
  Errors errors;
  for (const FsdpRow& row : rows) {
    if (row.used_in_fit || !row.left_out.empty()) continue;
    if (row.used_in_default && column == &Columns::by_default) continue;
    if (!table.empty() && table_of(row.measured.row) != table) continue;
    errors.add(row.predicted.*column, row.measured.value, row.measured.row);
  }
  return errors;
}

std::vector<ScaleChange> scale_changes(const std::vector<FsdpRow>& rows) {
  std::vector<ScaleChange> all;
  for (const FsdpRow& few : rows) {
    if (few.gpus != 8) continue;
    const auto many = std::find_if(rows.begin(), rows.end(), [&](const FsdpRow& row) {
      return row.series == few.series && row.gpus == 128;
    });
    if (many != rows.end()) all.push_back(change_of(few, *many));
  }
  return all;
}

}  // namespace sim::validation
