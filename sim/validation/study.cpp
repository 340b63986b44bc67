// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/study.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/base/parallel.hpp"
#include "sim/validation/fit.hpp"

namespace sim::validation {
namespace {

bool uncompressed(const Measurement& one) { return one.setup.scheme == "sharded"; }

// What rows must share to be compared with each other.
auto group_of(const Row& row) {
  return std::tuple(table_of(row.measured.row), row.measured.setup.cluster,
                    row.measured.setup.model);
}

// The inputs with the constants that suit predict_null() best, on the rows that the files name.
Inputs fitted_to_null(Inputs inputs, const std::vector<Measurement>& measurements) {
  for (auto& [name, cluster] : inputs.clusters) {
    const std::vector<Measurement> used = fit_rows(inputs, name, measurements);
    if (!used.empty()) cluster.fitted = fit(inputs, name, used, predict_null);
  }
  return inputs;
}

bool named_in_fit(const Inputs& inputs, const Measurement& one) {
  const std::vector<std::string>& rows = inputs.clusters.at(one.setup.cluster).fitted.rows;
  return std::find(rows.begin(), rows.end(), one.row) != rows.end();
}

// Throughputs of the same group, `row` among them.
std::vector<const Row*> rivals(const std::vector<Row>& rows, const Row& row) {
  std::vector<const Row*> group;
  for (const Row& other : rows) {
    if (other.measured.metric == Metric::tflops_per_gpu && group_of(other) == group_of(row)) {
      group.push_back(&other);
    }
  }
  return group;
}

}  // namespace

void Errors::add(double predicted, double measured, const std::string& row) {
  const double error = std::abs(predicted / measured - 1);
  mean = (mean * count + error) / (count + 1);
  ++count;
  if (error <= worst) return;
  worst = error;
  worst_row = row;
}

std::string_view table_of(std::string_view row) { return row.substr(0, row.find('/')); }

std::vector<Measurement> read_sdp4bit(const std::filesystem::path& folder) {
  const std::filesystem::path published = folder / "traces" / "published";
  std::vector<Measurement> all = read_throughput(published / "sdp4bit_throughput.csv");
  const auto more = read_gradient_comm(published / "sdp4bit_gradient_comm.csv");
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Row> predict_rows(const Inputs& inputs, const std::vector<Measurement>& measurements,
                              int jobs, const Tick& tick) {
  const Inputs blind = data_sheets_only(inputs);
  const Inputs unfitted = without_fits(inputs);
  const Inputs null = fitted_to_null(inputs, measurements);
  return in_parallel(jobs, measurements.size(), [&](std::size_t i) {
    const Measurement& one = measurements[i];
    tick();
    return Row{one,
               named_in_fit(inputs, one),
               rests_on(inputs, one),
               {.blind = predict(blind, one.setup).of(one.metric),
                .by_default = predict(by_default(unfitted, one.setup), one.setup).of(one.metric),
                .fitted = predict(inputs, one.setup).of(one.metric),
                .null_model = predict_null(inputs, one.setup).of(one.metric),
                .null_refit = predict_null(null, one.setup).of(one.metric)}};
  });
}

std::vector<SpeedUp> speed_ups(const std::vector<Row>& rows) {
  std::vector<SpeedUp> all;
  for (const Row& row : rows) {
    if (row.measured.metric != Metric::tflops_per_gpu || uncompressed(row.measured)) continue;
    const std::vector<const Row*> group = rivals(rows, row);
    const auto baseline = std::find_if(
        group.begin(), group.end(), [](const Row* other) { return uncompressed(other->measured); });
    if (baseline == group.end()) continue;
    const Columns& with = row.predicted;
    const Columns& without = (*baseline)->predicted;
    all.push_back({.row = row.measured.row,
                   .cluster = row.measured.setup.cluster,
                   .model = row.measured.setup.model,
                   .published = row.measured.value / (*baseline)->measured.value,
                   .used_in_fit = row.used_in_fit || (*baseline)->used_in_fit,
                   .used_in_default = row.used_in_default || (*baseline)->used_in_default,
                   .predicted = {.blind = with.blind / without.blind,
                                 .by_default = with.by_default / without.by_default,
                                 .fitted = with.fitted / without.fitted,
                                 .null_model = with.null_model / without.null_model,
                                 .null_refit = with.null_refit / without.null_refit}});
  }
  return all;
}

Errors row_errors(const std::vector<Row>& rows, std::string_view table, Metric metric,
                  Column column) {
  Errors errors;
  for (const Row& row : rows) {
    if (row.used_in_fit || row.measured.metric != metric) continue;
    if (row.used_in_default && column == &Columns::by_default) continue;
    if (table_of(row.measured.row) != table) continue;
    errors.add(row.predicted.*column, row.measured.value, row.measured.row);
  }
  return errors;
}

Errors speed_up_errors(const std::vector<SpeedUp>& all, std::string_view table, Column column,
                       bool without_fitted) {
  Errors errors;
  for (const SpeedUp& one : all) {
    if (table_of(one.row) != table || (without_fitted && one.used_in_fit)) continue;
    if (one.used_in_default && column == &Columns::by_default) continue;
    errors.add(one.predicted.*column, one.published, one.row);
  }
  return errors;
}

Ranking ranking(const std::vector<Row>& rows, Column column) {
  Ranking result;
  const auto slower = [&](const Row* a, const Row* b) {
    return a->predicted.*column < b->predicted.*column;
  };
  const auto measured_slower = [](const Row* a, const Row* b) {
    return a->measured.value < b->measured.value;
  };
  for (const Row& row : rows) {
    if (row.measured.metric != Metric::tflops_per_gpu) continue;
    const std::vector<const Row*> group = rivals(rows, row);
    for (const Row* other : group) {
      if (!measured_slower(&row, other)) continue;
      ++result.pairs;
      result.pairs_right += slower(&row, other) ? 1 : 0;
    }
    if (group.front() != &row) continue;  // each group once
    ++result.groups;
    const auto best = std::max_element(group.begin(), group.end(), slower);
    const auto measured_best = std::max_element(group.begin(), group.end(), measured_slower);
    result.best_right += *best == *measured_best ? 1 : 0;
  }
  return result;
}

std::vector<Measurement> fit_rows(const Inputs& inputs, const std::string& cluster,
                                  const std::vector<Measurement>& measurements) {
  std::vector<Measurement> rows;
  for (const Measurement& one : measurements) {
    if (one.setup.cluster == cluster && named_in_fit(inputs, one)) rows.push_back(one);
  }
  return rows;
}

}  // namespace sim::validation
