// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_blind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/blind_runs.hpp"
#include "apps/validate/blind_study.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/likely.hpp"
#include "sim/base/names.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/text_table.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::BlindErrors;
using validation::BlindPrediction;
using validation::BlindScores;
using validation::LeftOut;
using validation::TrainingRow;

constexpr sim::EnumName<LeftOut> kLeftOut[]{{"fold", LeftOut::fold},
                                            {"generation", LeftOut::generation}};

BlindPrediction predict_blind(const BlindRun& run, const validation::TimeCurve& curve,
                              const validation::BlindConstant& constant) {
  const double predicted = 1 / token_seconds(run, constant.efficiency);
  const double width = validation::width_of(constant.spreads, curve.share_at(constant.efficiency));
  return {.predicted = predicted,
          .low = predicted / std::exp(width),
          .high = predicted * std::exp(sim::kFasterSpread * width),
          .serial = 1 / serial_token_seconds(run, constant.efficiency)};
}

std::vector<LeftOut> left_out(const std::string& names) {
  std::vector<LeftOut> all;
  for (const std::string& name : split(names)) {
    const LeftOut one = sim::chosen("--by", name, kLeftOut);
    if (std::ranges::find(all, one) != all.end()) {
      throw sim::InputError(fmt::format("--by: {} is there twice; remove one", name));
    }
    all.push_back(one);
  }
  return all;
}

BlindStudy predicted_with(const CurvesOfRuns& all, const std::vector<TrainingRow>& rows, LeftOut by,
                          int jobs) {
  BlindStudy study{.left_out = std::string(sim::name_of(by, kLeftOut)), .rows = rows};
  const auto constants = validation::blind_constants(study.rows, all.curves, by);
  Progress progress("predicting rows", static_cast<int>(all.runs.size()));
  study.predictions = sim::in_parallel(jobs, all.runs.size(), [&](std::size_t i) {
    progress.step();
    return std::optional(predict_blind(all.runs[i], all.curves[i], constants[i]));
  });
  for (const auto& constant : constants) study.efficiencies.push_back(constant.efficiency);
  return study;
}

void print_needed(const std::string& format, const validation::LearntEfficiency& learnt) {
  sim::TextTable table{.labels = 4, .align = "<<<<"};
  table.rows.push_back(
      sim::heading_row({"fold", "generation", "stack", "products", "rows", "efficiency"}));
  std::vector<Json> records;
  for (const validation::NeededEfficiency& one : learnt.needed) {
    const char* products = one.is_narrow ? "fp8" : "bf16";
    table.rows.push_back({"  " + one.fold, one.gpu, one.stack, products,
                          fmt::format("{}", one.rows), fmt::format("{:.3f}", one.efficiency)});
    records.push_back({{"fold", one.fold},
                       {"gpu", one.gpu},
                       {"stack", one.stack},
                       {"precision", products},
                       {"rows", one.rows},
                       {"efficiency", one.efficiency}});
  }
  if (format == "csv") return print_records(format, records);
  if (format == "json") {
    return print_records(format,
                         Json{{"schema_version", 1},
                              {"efficiency", learnt.efficiency},
                              {"spread", learnt.spread},
                              {"folds", learnt.folds},
                              {"needed", records}},
                         records);
  }
  print_styled(to_text(table, output_width()));
  print_text(
      "\n{:.3f} is the median of {} folds; give or take {:.0f} %, by which a fold differs from "
      "what\n"
      "others say. Rows whose time hardly depends on it are left out.\n",
      learnt.efficiency, learnt.folds, 100 * learnt.spread);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::vector<sim::TableCell> cells_of(const std::string& name, const BlindErrors& errors,
                                     bool of_one) {
  // Where arithmetic alone is as close, the simulation has shown nothing.
  const bool beats = errors.mean < errors.serial;
  return {
      name,
      fmt::format("{}", errors.rows),
      percent(errors.mean),
      of_one ? signed_percent(errors.bias) : "",
      percent(errors.worst),
      percent(errors.near),
      percent(errors.coverage),
      percent(errors.narrow),
      {percent(errors.serial) + (beats ? "" : " !"), beats ? sim::Style::plain : sim::Style::bad}};
}

sim::TextTable folds_of(const BlindScores& scores) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row(
      {"fold", "rows", "off by", "bias", "worst", "in 30 %", "in range", "range <15 %", "serial"}));
  for (const auto& [fold, errors] : scores.by_fold) {
    const std::string name = fold + (scores.apart.at(fold) ? " +" : "");
    table.rows.push_back(cells_of("  " + name, errors, true));
  }
  if (scores.all) table.rows.push_back(cells_of("all folds", *scores.all, false));
  if (scores.not_apart) {
    table.rows.push_back(cells_of("folds without +", *scores.not_apart, false));
  }
  return table;
}

std::string scored_mark(const TrainingRow& row) {
  return row.is_scored() ? "" : row.tokens_per_s_per_gpu ? " -" : " ?";
}

sim::TextTable rows_of(const BlindStudy& study) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row(
      {"run", "published", "predicted", "off by", "from", "to", "efficiency", "serial", "off by"}));
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    const TrainingRow& row = study.rows[i];
    if (!study.predictions[i]) continue;
    const BlindPrediction& one = *study.predictions[i];
    const auto off = [&](double predicted) {
      return row.tokens_per_s_per_gpu
                 ? fmt::format("{:+.0f} %", 100 * (predicted / *row.tokens_per_s_per_gpu - 1))
                 : "-";
    };
    table.rows.push_back(
        {row.id + scored_mark(row),
         row.tokens_per_s_per_gpu ? fmt::format("{:.5g}", *row.tokens_per_s_per_gpu) : "-",
         fmt::format("{:.5g}", one.predicted), off(one.predicted), fmt::format("{:.4g}", one.low),
         fmt::format("{:.4g}", one.high), fmt::format("{:.3f}", study.efficiencies[i]),
         fmt::format("{:.5g}", one.serial), off(one.serial)});
  }
  return table;
}

constexpr const char* kNotes =
    "\n  off by: mean over a fold's rows; of several folds, the mean of theirs\n"
    "  in 30 %, range <15 %: of all rows\n"
    "  in range: measured values within the range, which is meant to contain 80 %; of several\n"
    "  folds, the mean of theirs\n"
    "  serial: kernels plus bytes over bandwidths with the same constants, nothing overlapping\n"
    "  !: the simulation does not beat it\n"
    "  +: no row of another fold has its GPU generation, or none has its stack\n";

// Of the limits that plans are said to keep.
void print_kept(const BlindErrors& all) {
  std::string said, kept;
  for (std::size_t i = 0; i < validation::kChances.size(); ++i) {
    said += fmt::format(" {:>3.0f}", 100 * validation::kChances.at(i));
    kept += fmt::format(" {:>3.0f}", 100 * all.kept.at(i));
  }
  print_text(
      "\n  limits of time or price said to be kept with{} %\n"
      "  are kept in                                 {} % of runs, mean over folds\n",
      said, kept);
}

void print_intervals(const validation::IntervalScores& scores) {
  print_text(
      "\n  interval score of the ranges, mean over folds: {:.2f}\n"
      "  of one width for all, the best on these rows:  {:.2f}\n",
      scores.score, scores.constant_score);
}

void print_table(const BlindStudy& study, bool each) {
  const std::size_t width = output_width();
  print_text(
      "tokens per second per GPU, predicted from {}{}\n\n",
      study.left_out == "fold" ? "other folds alone" : "other folds on other GPU generations alone",
      study.frozen.empty() ? "" : "; frozen " + study.frozen);
  if (each) {
    print_styled(to_text(rows_of(study), width));
    print_text("\n  -: shown, not scored   ?: not measured, or not looked at\n\n");
  }
  const BlindScores scores = validation::blind_scores(study.rows, study.predictions);
  print_styled(to_text(folds_of(scores), width));
  if (scores.all) print_kept(*scores.all);
  if (scores.intervals) print_intervals(*scores.intervals);
  print_text(kNotes);
}

std::vector<Json> records_of(const BlindStudy& study) {
  std::vector<Json> records;
  for (std::size_t i = 0; i < study.rows.size(); ++i) {
    const TrainingRow& row = study.rows[i];
    if (!study.predictions[i]) continue;
    const BlindPrediction& one = *study.predictions[i];
    records.push_back(
        {{"id", row.id},
         {"fold", row.fold},
         {"gpu", row.gpu},
         {"stack", row.stack},
         {"precision", row.precision},
         {"gpus", row.gpus},
         {"scored", row.is_scored()},
         {"apart", validation::is_apart(row, study.rows)},
         {"published", row.tokens_per_s_per_gpu ? Json(*row.tokens_per_s_per_gpu) : Json(nullptr)},
         {"predicted", one.predicted},
         {"low", one.low},
         {"high", one.high},
         {"compute_efficiency", study.efficiencies[i]},
         {"serial", one.serial}});
  }
  return records;
}

Json errors_of(const BlindErrors& errors) {
  return {{"folds", errors.folds},       {"rows", errors.rows},     {"mean", errors.mean},
          {"bias", errors.bias},         {"worst", errors.worst},   {"near", errors.near},
          {"coverage", errors.coverage}, {"narrow", errors.narrow}, {"serial", errors.serial}};
}

Json json_of(const BlindStudy& study) {
  const BlindScores scores = validation::blind_scores(study.rows, study.predictions);
  Json json{{"schema_version", 1}, {"study", "blind"}, {"left_out", study.left_out}};
  if (!study.frozen.empty()) json["frozen"] = study.frozen;
  const auto or_null = [](const auto& errors) {
    return errors ? errors_of(*errors) : Json(nullptr);
  };
  json["errors"]["all"] = or_null(scores.all);
  json["errors"]["not_apart"] = or_null(scores.not_apart);
  if (scores.intervals) {
    json["errors"]["intervals"] = {{"interval_score", scores.intervals->score},
                                   {"constant_interval_score", scores.intervals->constant_score}};
  }
  for (const auto& [fold, errors] : scores.by_fold) {
    json["errors"]["by_fold"][fold] = errors_of(errors);
    json["errors"]["by_fold"][fold]["apart"] = scores.apart.at(fold);
  }
  json["rows"] = records_of(study);
  return json;
}

// One study as it is, several as a list of "answers".
void print(const std::vector<BlindStudy>& studies, const BlindOptions& options) {
  std::vector<Json> answers, records;
  for (const BlindStudy& study : studies) {
    if (options.format == "table") {
      if (&study != &studies.front()) print_text("\n");
      print_table(study, options.each);
      continue;
    }
    answers.push_back(json_of(study));
    for (Json& record : records_of(study)) {
      if (studies.size() > 1) record["left_out"] = study.left_out;
      records.push_back(std::move(record));
    }
  }
  print_records(options.format,
                answers.size() == 1
                    ? answers.front()
                    : Json{{"schema_version", 1}, {"study", "blind"}, {"answers", answers}},
                records);
}

}  // namespace

void validate_blind(const BlindOptions& options) {
  const std::vector<LeftOut> by = left_out(options.by);
  const auto rows = validation::read_training(data_directory());
  if (!options.frozen.empty()) return print({thawed(options.frozen, rows)}, options);
  if (!options.freeze.empty()) sim::require_writable("--freeze", options.freeze);
  const CurvesOfRuns all = curves_of(rows, options.jobs, options.throttled);
  if (options.defaults) {
    return print_needed(options.format, validation::learnt_efficiency(rows, all.curves));
  }
  std::vector<BlindStudy> studies;
  for (const LeftOut one : by) studies.push_back(predicted_with(all, rows, one, options.jobs));
  if (!options.freeze.empty()) freeze(studies.front(), options.freeze);
  print(studies, options);
}

}  // namespace apps
