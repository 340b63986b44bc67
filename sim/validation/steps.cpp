// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/validation/averages.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim::validation {
namespace {

StepRow step_row(const CsvRow& line, TrainingRow run) {
  StepRow row{.run = std::move(run),
              .group = line.text("group"),
              .dispatcher = line.text("dispatcher"),
              .tflops_per_gpu = std::nullopt};
  if (!row.is_modelled()) return row;
  row.gflop_per_token = line.number("gflop_per_token");
  row.peak_tflops = line.number("peak_tflops");
  if (line.has("tflops_per_gpu")) row.tflops_per_gpu = line.number("tflops_per_gpu");
  return row;
}

double log_off(double predicted, const StepRow& row) {
  return std::log(predicted / *row.run.tokens_per_s_per_gpu);
}

// With which the rows' mean of absolute logarithms is least, to 1 %.
double fitted_efficiency(const std::vector<std::size_t>& used, const std::vector<StepRow>& rows,
                         const std::vector<std::optional<StepCurve>>& curves) {
  constexpr double kLeast = 0.1, kMost = 2, kStep = 1.01;
  double best = 1, least = std::numeric_limits<double>::infinity();
  for (double efficiency = kLeast; efficiency <= kMost; efficiency *= kStep) {
    double sum = 0;
    for (const std::size_t i : used) {
      sum += std::abs(log_off(1 / curves[i]->curve.at(efficiency), rows[i]));
    }
    if (sum < least) std::tie(best, least) = std::pair(efficiency, sum);
  }
  return best;
}

double mfu(const StepRow& row) {
  return *row.run.tokens_per_s_per_gpu * row.gflop_per_token * 1e-3 / row.peak_tflops;
}

// The median over other folds of the means of their logarithms, as of efficiencies.
double mfu_of_others(const std::vector<StepRow>& rows, const std::string& fold) {
  std::map<std::string, std::vector<double>> folds;
  for (const StepRow& row : rows) {
    if (row.run.is_scored() && row.run.fold != fold) {
      folds[row.run.fold].push_back(std::log(mfu(row)));
    }
  }
  std::vector<double> means;
  for (const auto& [name, logarithms] : folds) {
    double sum = 0;
    for (const double one : logarithms) sum += one;
    means.push_back(sum / static_cast<double>(logarithms.size()));
  }
  require(!means.empty(), "another source");
  return std::exp(median(std::move(means)));
}

std::map<std::string, double> fitted_by_group(const std::vector<StepRow>& rows,
                                              const std::vector<std::optional<StepCurve>>& curves) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (curves[i]) groups[rows[i].group].push_back(i);
  }
  std::map<std::string, double> fitted;
  for (const auto& [group, used] : groups) fitted[group] = fitted_efficiency(used, rows, curves);
  return fitted;
}

}  // namespace

std::string modelled_dispatcher(const std::string& published) {
  for (const auto& [name, dispatcher] : kDispatchers) {
    if (published.starts_with(name)) return std::string(name);
  }
  return std::string(name_of(Dispatcher::all_to_all, kDispatchers));
}

std::vector<StepRow> read_steps(const std::filesystem::path& folder, const std::string& name) {
  const auto file = folder / "traces" / "published" / (name + ".csv");
  std::vector<TrainingRow> runs = read_training_file(file);
  std::vector<StepRow> rows;
  for (const CsvRow& line : read_csv(file)) {
    rows.push_back(step_row(line, std::move(runs[rows.size()])));
  }
  return rows;
}

std::vector<StepColumns> step_columns(const std::vector<StepRow>& rows,
                                      const std::vector<std::optional<StepCurve>>& curves,
                                      const DenseRuns& dense) {
  std::vector<TrainingRow> runs;
  std::vector<TimeCurve> known;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    runs.push_back(rows[i].run);
    runs.back().counts = curves[i].has_value();
    known.push_back(curves[i] ? curves[i]->curve : TimeCurve{});
  }
  runs.insert(runs.end(), dense.rows.begin(), dense.rows.end());
  known.insert(known.end(), dense.curves.begin(), dense.curves.end());
  const auto learnt = blind_constants(runs, known, LeftOut::fold);
  const auto fitted = fitted_by_group(rows, curves);
  std::vector<StepColumns> columns(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const StepRow& row = rows[i];
    StepColumns& one = columns[i];
    one.efficiency = learnt[i].efficiency;
    if (!row.is_modelled()) continue;
    one.constant_mfu =
        mfu_of_others(rows, row.run.fold) * row.peak_tflops * 1e3 / row.gflop_per_token;
    if (!curves[i]) continue;
    one.blind = 1 / known[i].at(curves[i]->by_default);
    one.left_out = 1 / known[i].at(one.efficiency);
    one.fitted = 1 / known[i].at(fitted.at(row.group));
  }
  return columns;
}

std::vector<StepPair> step_pairs(const std::filesystem::path& folder,
                                 const std::vector<StepRow>& rows,
                                 const std::vector<StepColumns>& predictions) {
  const auto number_of = [&](const std::string& id) {
    return static_cast<std::size_t>(
        std::ranges::find(rows, id, [](const StepRow& row) { return row.run.id; }) - rows.begin());
  };
  std::vector<StepPair> pairs;
  for (const CsvRow& line : read_csv(folder / "traces" / "published" / "step_pairs.csv")) {
    StepPair pair{
        .id = line.text("id"), .without = line.text("without"), .with = line.text("with")};
    const std::size_t a = number_of(pair.without), b = number_of(pair.with);
    if (a == rows.size() && b == rows.size()) continue;  // of another table
    if (a == rows.size() || b == rows.size()) line.fail("with: is no row beside without");
    pair.published = *rows[a].run.tokens_per_s_per_gpu / *rows[b].run.tokens_per_s_per_gpu;
    pair.predicted = predictions[a].left_out / predictions[b].left_out;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

StepScores step_scores(const std::vector<StepRow>& rows,
                       const std::vector<StepColumns>& predictions, StepColumn column) {
  StepScores scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (predictions[i].*column == 0 || !rows[i].run.is_scored()) continue;
    StepErrors& group = scores.by_group[rows[i].group];
    const double off = log_off(predictions[i].*column, rows[i]);
    ++group.rows;
    group.mean += (std::abs(off) - group.mean) / group.rows;
    group.bias += (off - group.bias) / group.rows;
    group.worst = std::max(group.worst, std::abs(off));
  }
  if (scores.by_group.empty()) return scores;
  StepErrors all{.groups = static_cast<int>(scores.by_group.size())};
  for (const auto& [name, group] : scores.by_group) {
    all.rows += group.rows;
    all.mean += group.mean / all.groups;
    all.bias += group.bias / all.groups;
    all.worst = std::max(all.worst, group.worst);
  }
  scores.all = all;
  return scores;
}

std::optional<double> flop_error(const StepRow& row, double model_flop) {
  if (!row.tflops_per_gpu || !row.run.tokens_per_s_per_gpu) return std::nullopt;
  const double published = *row.tflops_per_gpu * 1e12 / *row.run.tokens_per_s_per_gpu;
  return std::abs(model_flop / published - 1);
}

}  // namespace sim::validation
