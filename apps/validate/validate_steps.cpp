// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_steps.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/blind_runs.hpp"
#include "apps/validate/expert_layers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/steps.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::StepColumn;
using validation::StepColumns;
using validation::StepPair;
using validation::StepRow;

struct StepStudy {
  std::string name;
  std::vector<StepRow> rows;
  std::vector<StepColumns> predictions;
  std::vector<StepPair> pairs;
  std::vector<ExpertLayer> layers;  // of moe
};

struct NamedStepColumn {
  const char* name;   // in JSON
  const char* title;  // in tables
  StepColumn column;
};
constexpr std::array kStepColumns{
    NamedStepColumn{"left_out", "others' sources", &StepColumns::left_out},
    NamedStepColumn{"blind", "blind", &StepColumns::blind},
    NamedStepColumn{"fitted", "fitted", &StepColumns::fitted},
    NamedStepColumn{"serial", "serial", &StepColumns::serial},
    NamedStepColumn{"constant_mfu", "constant MFU", &StepColumns::constant_mfu}};

std::optional<BlindRun> step_run(const StepRow& row) {
  if (!row.is_modelled()) return std::nullopt;
  if (row.dispatcher.empty()) return run_of(row.run);
  return run_of(row.run, {"--dispatcher", validation::modelled_dispatcher(row.dispatcher)});
}

validation::DenseRuns dense_runs(int jobs) {
  validation::DenseRuns dense{.rows = validation::read_training(data_directory()), .curves = {}};
  dense.curves = curves_of(dense.rows, jobs).curves;
  return dense;
}

// Of the rows that others learn from.
std::vector<std::optional<validation::StepCurve>> step_curves(
    const std::vector<StepRow>& rows, const std::vector<std::optional<BlindRun>>& runs, int jobs) {
  std::vector<std::size_t> numbers;
  std::vector<BlindRun> scored;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!runs[i] || !rows[i].run.is_scored()) continue;
    numbers.push_back(i);
    scored.push_back(*runs[i]);
  }
  Progress progress("simulating rows",
                    static_cast<int>(validation::kCurveEfficiencies.size() * scored.size()));
  const auto curves = time_curves(scored, jobs, [&] { progress.step(); });
  std::vector<std::optional<validation::StepCurve>> all(rows.size());
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const auto& usual = scored[n].job.cluster().default_efficiency;
    all[numbers[n]] = {.curve = curves[n], .by_default = usual ? usual->efficiency : 1};
  }
  return all;
}

StepStudy predicted_steps(const std::string& name, const std::string& table, int jobs) {
  StepStudy study{.name = name, .rows = validation::read_steps(data_directory(), table)};
  const auto runs = sim::in_parallel(jobs, study.rows.size(),
                                     [&](std::size_t i) { return step_run(study.rows[i]); });
  study.predictions =
      step_columns(study.rows, step_curves(study.rows, runs, jobs), dense_runs(jobs));
  Progress progress("predicting rows", static_cast<int>(runs.size()));
  sim::for_each_in_parallel(jobs, runs.size(), [&](std::size_t i) {
    progress.step();
    if (!runs[i]) return;
    StepColumns& one = study.predictions[i];
    if (one.left_out == 0) one.left_out = 1 / token_seconds(*runs[i], one.efficiency);
    one.serial = 1 / serial_token_seconds(*runs[i], one.efficiency);
  });
  study.pairs = step_pairs(data_directory(), study.rows, study.predictions);
  if (study.name == "moe") {
    study.layers = read_expert_layers();
    predict_layers(study.layers, jobs, [] {});
  }
  return study;
}

sim::TextTable groups_of(const StepStudy& study) {
  sim::TextTable table;
  std::vector<std::string> heading{"errors, mean of |log|", "rows"};
  std::vector<validation::StepScores> scores;
  for (const NamedStepColumn& column : kStepColumns) {
    heading.emplace_back(column.title);
    if (column.column == &StepColumns::left_out) heading.emplace_back("bias");
    scores.push_back(step_scores(study.rows, study.predictions, column.column));
  }
  table.rows.push_back(sim::heading_row(heading));
  for (sim::TableCell& cell : table.rows.back()) cell.style = sim::Style::heading;
  const auto add = [&](const std::string& name, const auto& errors_of) {
    std::vector<sim::TableCell> cells{name, fmt::format("{}", errors_of(scores.front()).rows)};
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const validation::StepErrors& errors = errors_of(scores[i]);
      cells.emplace_back(fmt::format("{:.1f} %", 100 * errors.mean));
      if (i == 0) cells.emplace_back(fmt::format("{:+.1f} %", 100 * errors.bias));
    }
    table.rows.push_back(std::move(cells));
  };
  for (const auto& entry : scores.front().by_group) {
    add("  " + entry.first,
        [&](const validation::StepScores& one) { return one.by_group.at(entry.first); });
  }
  add("all, mean over groups", [](const validation::StepScores& one) { return *one.all; });
  return table;
}

sim::TextTable each_of(const StepStudy& study) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row({"tokens per second per GPU", "published", "predicted",
                                         "off by", "efficiency", "blind", "fitted", "serial"}));
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    const StepRow& row = study.rows[i];
    if (!row.is_modelled()) continue;
    const StepColumns& one = study.predictions[i];
    const auto off = [&](double predicted) {
      if (predicted == 0) return std::string("-");
      return fmt::format("{:+.0f} %", 100 * (predicted / *row.run.tokens_per_s_per_gpu - 1));
    };
    table.rows.push_back({"  " + row.run.id + (row.run.is_scored() ? "" : " -"),
                          fmt::format("{:.5g}", *row.run.tokens_per_s_per_gpu),
                          fmt::format("{:.5g}", one.left_out), off(one.left_out),
                          fmt::format("{:.3f}", one.efficiency), off(one.blind), off(one.fitted),
                          off(one.serial)});
  }
  return table;
}

int right_pairs(const StepStudy& study) {
  int right = 0;
  for (const StepPair& pair : study.pairs) right += pair.is_right() ? 1 : 0;
  return right;
}

sim::TextTable pairs_of(const StepStudy& study) {
  sim::TextTable table;
  table.rows.push_back(
      sim::heading_row({"time with over without", "published", "predicted", "sign"}));
  for (const StepPair& pair : study.pairs) {
    table.rows.push_back({"  " + pair.id,
                          fmt::format("{:.3f}", pair.published),
                          fmt::format("{:.3f}", pair.predicted),
                          {pair.is_right() ? "right" : "WRONG",
                           pair.is_right() ? sim::Style::plain : sim::Style::bad}});
  }
  return table;
}

sim::TextTable layers_of(const StepStudy& study) {
  sim::TextTable table;
  table.rows.push_back(
      sim::heading_row({"a block of experts on 8 GPUs, ms", "published", "predicted", "off by"}));
  for (const ExpertLayer& one : study.layers) {
    table.rows.push_back({"  " + one.id, fmt::format("{:.2f}", 1e3 * one.published_s),
                          fmt::format("{:.2f}", 1e3 * one.predicted_s),
                          fmt::format("{:+.0f} %", 100 * (one.predicted_s / one.published_s - 1))});
  }
  return table;
}

constexpr const char* kStepNotes =
    "\n  others' sources: one efficiency, learnt from the other sources, of dense models too;\n"
    "  bias: of its logarithm\n"
    "  blind: the default efficiency of the cluster; fitted: one efficiency for each group\n"
    "  serial: kernels plus bytes over bandwidths at the first efficiency, nothing overlapping\n"
    "  constant MFU: the median of the other sources'\n";

void print_table(const StepStudy& study, bool each) {
  const std::size_t width = output_width();
  if (each) {
    print_styled(to_text(each_of(study), width));
    print_text("  -: shown, but not scored\n\n");
  }
  print_styled(to_text(groups_of(study), width));
  print_text(kStepNotes);
  if (!study.pairs.empty()) {
    print_text("\n");
    if (each) print_styled(to_text(pairs_of(study), width));
    print_text("pairs: the sign of {} of {} is right\n", right_pairs(study), study.pairs.size());
  }
  if (study.layers.empty()) return;
  print_text("\n");
  if (each) print_styled(to_text(layers_of(study), width));
  print_text("blocks of experts alone: off by {:.1f} %, mean of |log| over {}\n",
             100 * layers_error(study.layers), study.layers.size());
}

Json to_object(const validation::StepErrors& errors) {
  return {{"groups", errors.groups},
          {"rows", errors.rows},
          {"mean", errors.mean},
          {"bias", errors.bias},
          {"worst", errors.worst}};
}

std::vector<Json> records_of(const StepStudy& study) {
  std::vector<Json> records;
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    const StepRow& row = study.rows[i];
    if (!row.is_modelled()) continue;
    Json record{{"id", row.run.id},
                {"fold", row.run.fold},
                {"group", row.group},
                {"counts", row.run.is_scored()},
                {"published", *row.run.tokens_per_s_per_gpu}};
    for (const NamedStepColumn& column : kStepColumns) {
      const double predicted = study.predictions[i].*column.column;
      record[column.name] = predicted == 0 ? Json(nullptr) : Json(predicted);
    }
    record["efficiency"] = study.predictions[i].efficiency;
    records.push_back(std::move(record));
  }
  return records;
}

Json json_of(const StepStudy& study) {
  Json json{{"schema_version", 1}, {"study", study.name}};
  for (const NamedStepColumn& column : kStepColumns) {
    const auto scores = step_scores(study.rows, study.predictions, column.column);
    if (scores.all) json["errors"][column.name]["all"] = to_object(*scores.all);
    for (const auto& [group, errors] : scores.by_group) {
      json["errors"][column.name]["by_group"][group] = to_object(errors);
    }
  }
  json["pairs"] = Json::array();
  for (const StepPair& pair : study.pairs) {
    json["pairs"].push_back({{"id", pair.id},
                             {"published_ratio", pair.published},
                             {"predicted_ratio", pair.predicted},
                             {"right", pair.is_right()}});
  }
  json["layers"] = Json::array();
  for (const ExpertLayer& one : study.layers) {
    json["layers"].push_back(
        {{"id", one.id}, {"published_s", one.published_s}, {"predicted_s", one.predicted_s}});
  }
  if (!study.layers.empty()) json["errors"]["layers"] = layers_error(study.layers);
  json["rows"] = records_of(study);
  return json;
}

}  // namespace

void validate_steps(const std::string& study, const std::string& table, const std::string& format,
                    int jobs, bool each) {
  const StepStudy predicted = predicted_steps(study, table, jobs);
  if (format == "table") return print_table(predicted, each);
  print_records(format, json_of(predicted), records_of(predicted));
}

}  // namespace apps
