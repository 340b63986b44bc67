// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_testbed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/blind_runs.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/text_table.hpp"
#include "sim/study/simulation.hpp"
#include "sim/validation/testbed.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::kTestbedColumns;
using validation::TestbedCell;
using validation::TestbedScores;

struct TestbedStudy {
  std::vector<TestbedCell> cells;
  validation::TestbedStudyScores scores;
};

double predicted_seconds(const TestbedCell& cell) {
  const std::filesystem::path folder = data_directory() / "traces" / "measured" / "testbed";
  Arguments arguments = arguments_of(cell.flags);
  for (std::string& word : arguments) {
    if (!word.ends_with(".toml") && !word.ends_with(".json")) continue;
    const std::size_t file = word.rfind('=') + 1;  // 0 without one
    word.replace(file, std::string::npos, (folder / word.substr(file)).string());
  }
  const BlindRun run = single_run(cell.place, arguments);
  return sim::study::seconds_of(run.job, run.setup);
}

TestbedStudy predicted_testbed(int jobs) {
  TestbedStudy study{.cells = validation::read_testbed(data_directory()), .scores = {}};
  Progress progress("simulating cells", static_cast<int>(study.cells.size()));
  sim::for_each_in_parallel(jobs, study.cells.size(), [&](std::size_t i) {
    progress.step();
    TestbedCell& cell = study.cells[i];
    if (cell.is_break_even() || !cell.is_measured()) return;
    cell.predicted[validation::kNow] = predicted_seconds(cell);
  });
  study.scores = testbed_scores(study.cells);
  return study;
}

std::string percent_off(double predicted, double measured) {
  return fmt::format("{:+.0f} %", 100 * (predicted / measured - 1));
}

sim::TextTable cells_of_testbed(const std::vector<TestbedCell>& all) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row(
      {"cell", "measured", "frozen", "now", "null", "speed-up", "frozen", "now", "null", "sign"}));
  for (const TestbedCell& cell : all) {
    if (cell.is_break_even() || !cell.is_measured()) continue;
    auto& cells = table.rows.emplace_back();
    cells = {"  " + cell.name, fmt::format("{:.4g} s", cell.middle())};
    for (const double s : cell.predicted) cells.emplace_back(percent_off(s, cell.middle()));
    const auto one = speed_up(all, cell);
    if (!one) continue;
    cells.emplace_back(fmt::format("{:.3f}", one->measured));
    for (const double ratio : one->predicted) cells.emplace_back(fmt::format("{:.3f}", ratio));
    cells.emplace_back(one->has_sign ? "" : "noise");
  }
  return table;
}

std::vector<sim::TableCell> score_row(const std::string& name, const TestbedScores& scores,
                                      bool is_speed_up) {
  std::vector<sim::TableCell> cells{name, fmt::format("{}", scores.cells)};
  for (const auto& [mean, worst, right] : scores.errors) {
    cells.emplace_back(is_speed_up
                           ? fmt::format("{:.1f} %, {} of {}", 100 * mean, right, scores.signs)
                           : fmt::format("{:.1f} / {:.1f} %", 100 * mean, 100 * worst));
  }
  return cells;
}

sim::TextTable scores_of_testbed(const validation::TestbedStudyScores& all) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row({"errors", "cells", "frozen", "now", "null"}));
  table.rows.push_back({"time: mean / worst"});
  for (const auto& [group, scores] : all.times) {
    table.rows.push_back(score_row("  " + group, scores, false));
  }
  table.rows.push_back({"speed-up: mean, sign right"});
  for (const auto& [group, scores] : all.speed_ups) {
    table.rows.push_back(score_row("  " + group, scores, true));
  }
  if (all.where_it_matters.cells == 0) return table;
  table.rows.push_back(score_row("  codecs or overlap matter", all.where_it_matters, true));
  return table;
}

std::string rate_text(double bps) {
  return std::isfinite(bps) ? fmt::format("{:.4g} Mb/s", bps / 1e6) : "none";
}

// Plain arithmetic has no codec time: for it, fewer bytes pay at any rate.
sim::TextTable break_evens_of(const std::vector<TestbedCell>& all) {
  sim::TextTable table{.rows = {{}}};
  table.rows.push_back(
      sim::heading_row({"break-even rate", "measured", "frozen", "off by", "null"}));
  for (const TestbedCell& cell : all) {
    if (!cell.is_break_even()) continue;
    const double frozen = cell.predicted[validation::kFrozen];
    auto& cells = table.rows.emplace_back();
    cells = {"  " + cell.name, "-", rate_text(frozen), "-", "never"};
    if (!cell.is_measured()) continue;
    cells[1] = rate_text(cell.middle());
    if (!std::isfinite(frozen) || !std::isfinite(cell.middle())) continue;
    cells[3] = percent_off(frozen, cell.middle());
  }
  return table;
}

void print_table(const TestbedStudy& study, bool each) {
  if (each) {
    print_styled(to_text(cells_of_testbed(study.cells), output_width()));
    print_text("\n");
  }
  print_styled(to_text(scores_of_testbed(study.scores), output_width()));
  print_styled(to_text(break_evens_of(study.cells), output_width()));
  const auto missing = std::ranges::count(study.cells, false, &TestbedCell::is_measured);
  print_text("{} of {} cells are not measured\n", missing, study.cells.size());
}

Json scores_object(const TestbedScores& scores) {
  Json json{{"cells", scores.cells}, {"signs", scores.signs}};
  for (std::size_t i = 0; i < kTestbedColumns.size(); ++i) {
    const auto& [mean, worst, right] = scores.errors[i];
    json[kTestbedColumns[i]] = {{"mean", mean}, {"worst", worst}, {"right", right}};
  }
  return json;
}

// Of a break-even, rates in place of times. What there is not becomes null.
Json record_of(const std::vector<TestbedCell>& all, const TestbedCell& cell) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  const char* const unit = cell.is_break_even() ? "bit/s" : "s";
  Json record{{"cell", cell.name}, {"grid", cell.grid}, {"kind", cell.kind}, {"unit", unit}};
  record["measured"] = cell.is_measured() ? cell.middle() : kNothing;
  for (std::size_t i = 0; i < kTestbedColumns.size(); ++i) {
    record[kTestbedColumns[i]] = cell.predicted[i] > 0 ? cell.predicted[i] : kNothing;
  }
  const auto one = speed_up(all, cell);
  record["measured_speedup"] = one ? one->measured : kNothing;
  for (std::size_t i = 0; i < kTestbedColumns.size(); ++i) {
    record[std::string(kTestbedColumns[i]) + "_speedup"] = one ? one->predicted[i] : kNothing;
  }
  record["has_sign"] = one ? Json(one->has_sign) : Json();
  return record;
}

Json json_of(const TestbedStudy& study, const std::vector<Json>& records) {
  Json json{{"schema_version", 1}, {"study", "testbed"}};
  const auto& [times, speed_ups, where_it_matters] = study.scores;
  for (const auto& [group, scores] : times) json["times"][group] = scores_object(scores);
  for (const auto& [group, scores] : speed_ups) json["speedups"][group] = scores_object(scores);
  json["where_codecs_or_overlap_matter"] = scores_object(where_it_matters);
  json["rows"] = records;
  return json;
}

}  // namespace

void validate_testbed(const std::string& format, int jobs, bool each) {
  const TestbedStudy study = predicted_testbed(jobs);
  if (format == "table") return print_table(study, each);
  std::vector<Json> records;
  for (const TestbedCell& cell : study.cells) records.push_back(record_of(study.cells, cell));
  print_records(format, json_of(study, records), records);
}

}  // namespace apps
