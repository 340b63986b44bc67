#include "sim/validation/fsdp.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/validation/fit.hpp"

namespace sim::validation {
namespace {

// The FLOP of a token as both publications count them: 6 a parameter, and for attention 12 times
// layers, hidden size and sequence. llm-foundry takes all parameters, torchtitan
// (get_num_flop_per_token) leaves the embedding out; MPT's is the output projection too.
double flop_per_token(const Model& model) {
  const std::int64_t looked_up = model.tied_embeddings ? 0 : parameter_count(model).embedding;
  const auto parameters = static_cast<double>(total_parameters(model) - looked_up);
  return 6 * parameters +
         12 * static_cast<double>(query_width(model)) * model.layers * model.sequence;
}

std::vector<Measurement> measurements_of(const std::vector<FsdpRow>& rows) {
  std::vector<Measurement> all;
  for (const FsdpRow& row : rows) all.push_back(row.measured);
  return all;
}

// The compute efficiency that suits the group's rows of one node best.
Fitted fit_group(Inputs inputs, const std::vector<FsdpRow>& rows, const FsdpRow& of) {
  std::vector<Measurement> used;
  Fitted start{.compute_efficiency = 1};
  for (const FsdpRow& row : rows) {
    if (row.group != of.group || !row.used_in_fit) continue;
    used.push_back(row.measured);
    start.rows.push_back(row.measured.row);
  }
  inputs.clusters.at(of.measured.setup.cluster).fitted = start;
  return fit(inputs, of.measured.setup.cluster, used);
}

// The geometric mean of the group's published utilisations on one node.
double utilisation_of_group(const std::vector<FsdpRow>& rows, const std::string& group) {
  double sum = 0;
  int count = 0;
  for (const FsdpRow& row : rows) {
    if (row.group != group || !row.used_in_fit) continue;
    sum += std::log(row.mfu(row.measured.value));
    ++count;
  }
  require(count > 0, "every group has a row of one node");
  return std::exp(sum / count);
}

void predict_row(FsdpRow& row, const Inputs& blind, const Fitted& fitted) {
  Inputs inputs = blind;
  inputs.clusters.at(row.measured.setup.cluster).fitted = fitted;
  const Prediction prediction = predict(inputs, row.measured.setup);
  row.predicted.blind = predict(blind, row.measured.setup).of(row.measured.metric);
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
  for (const Column column : {&Columns::blind, &Columns::fitted, &Columns::null_model}) {
    change.predicted.*column = points(few.predicted.*column, many.predicted.*column);
  }
  return change;
}

}  // namespace

FsdpStudy predict_fsdp(const std::filesystem::path& folder, std::vector<FsdpRow> rows,
                       const Tick& tick) {
  const Inputs inputs = data_sheets_only(read_inputs(folder, measurements_of(rows)));
  for (FsdpRow& row : rows) {
    const Setup& setup = row.measured.setup;
    row.tokens_at_peak = inputs.clusters.at(setup.cluster).gpu.bf16.base() /
                         flop_per_token(inputs.models.at(setup.model));
  }
  FsdpStudy study;
  for (FsdpRow& row : rows) {
    tick();
    if (!study.constants.contains(row.group)) {
      study.constants[row.group] = fit_group(inputs, rows, row);
    }
    predict_row(row, inputs, study.constants.at(row.group));
    row.predicted.null_model = row.tokens_at_peak * utilisation_of_group(rows, row.group);
  }
  study.rows = std::move(rows);
  return study;
}

Errors fsdp_errors(const std::vector<FsdpRow>& rows, std::string_view table, Column column) {
  Errors errors;
  for (const FsdpRow& row : rows) {
    if (row.used_in_fit || !row.left_out.empty()) continue;
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
