// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/testbed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/validation/averages.hpp"

namespace sim::validation {
namespace {

using CellPlaces = std::map<std::string, std::size_t>;

std::size_t place_in(const CellPlaces& places, const CsvRow& line, const std::string& column) {
  const std::string& name = line.text(column);
  const auto place = places.find(name);
  if (place != places.end()) return place->second;
  line.fail(fmt::format("{}: '{}' is no cell of the predictions", column, printable(name)));
}

double rate_or_none(const CsvRow& line) {
  const std::string column = "break_even_bps";
  return line.has(column) ? line.number(column) : std::numeric_limits<double>::infinity();
}

// Uncompressed jobs have none.
double codec_seconds(const CsvRow& line) {
  return number_in<double>(line.text("codec_s")) == 0.0 ? 0 : line.number("codec_s");
}

TestbedCell predicted_cell(const CsvRow& line) {
  TestbedCell cell{.name = line.text("cell"),
                   .grid = line.text("grid"),
                   .kind = line.text("kind"),
                   .flags = line.text("flags"),
                   .place = line.place_of("flags")};
  if (cell.is_break_even()) {
    cell.predicted[kFrozen] = rate_or_none(line);
    return cell;
  }
  constexpr double kNoticeable = 0.05;
  cell.predicted = {line.number("step_s"), 0, line.number("null_s")};
  cell.matters =
      line.text("overlap") == "on" || codec_seconds(line) > kNoticeable * cell.predicted[kFrozen];
  return cell;
}

void add_to(TestbedScores& scores, double measured, const TestbedValues& predicted) {
  ++scores.cells;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double error = std::abs(predicted[i] / measured - 1);
    scores.errors[i].mean += (error - scores.errors[i].mean) / scores.cells;
    scores.errors[i].worst = std::max(scores.errors[i].worst, error);
  }
}

void add_to(TestbedScores& scores, const TestbedSpeedUp& one) {
  add_to(scores, one.measured, one.predicted);
  if (!one.has_sign) return;
  ++scores.signs;
  for (std::size_t i = 0; i < one.predicted.size(); ++i) {
    scores.errors[i].right += (one.predicted[i] - 1) * (one.measured - 1) > 0 ? 1 : 0;
  }
}

}  // namespace

double TestbedCell::middle() const {
  if (!is_break_even()) return median(measured);
  std::vector<double> middles;
  for (std::size_t i = 0; i + 1 < measured.size(); i += 2) {
    middles.push_back(std::sqrt(measured[i] * measured[i + 1]));
  }
  return median(middles);
}

std::vector<TestbedCell> testbed_cells(std::span<const CsvRow> predictions,
                                       std::span<const CsvRow> measurements) {
  CellPlaces places;
  std::vector<TestbedCell> cells;
  for (const CsvRow& line : predictions) {
    cells.push_back(predicted_cell(line));
    if (places.emplace(cells.back().name, places.size()).second) continue;
    line.fail(fmt::format("cell: '{}' is there twice", printable(cells.back().name)));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].is_break_even() || !predictions[i].has("twin")) continue;
    const std::size_t twin = place_in(places, predictions[i], "twin");
    if (cells[twin].is_break_even()) predictions[i].fail("twin: is no step and no round");
    cells[i].twin = twin;
  }
  for (const CsvRow& line : measurements) {
    TestbedCell& cell = cells[place_in(places, line, "cell")];
    cell.measured.push_back(cell.is_break_even() ? rate_or_none(line) : line.number("step_s"));
  }
  return cells;
}

std::vector<TestbedCell> read_testbed(const std::filesystem::path& folder) {
  constexpr const char* kFile = "testbed_2026-11-30.csv";
  const auto predictions = read_csv(folder / "traces" / "predictions" / kFile);
  return testbed_cells(predictions, read_csv(folder / "traces" / "measured" / kFile));
}

std::optional<TestbedSpeedUp> speed_up(const std::vector<TestbedCell>& cells,
                                       const TestbedCell& cell) {
  if (!cell.twin || !cell.is_measured() || !cells[*cell.twin].is_measured()) return std::nullopt;
  const TestbedCell& twin = cells[*cell.twin];
  TestbedSpeedUp one{.measured = twin.middle() / cell.middle()};
  for (std::size_t i = 0; i < one.predicted.size(); ++i) {
    one.predicted[i] = twin.predicted[i] / cell.predicted[i];
  }
  const auto [fastest, slowest] = std::ranges::minmax(cell.measured);
  const auto [fastest_twin, slowest_twin] = std::ranges::minmax(twin.measured);
  one.has_sign = slowest < fastest_twin || fastest > slowest_twin;
  return one;
}

TestbedStudyScores testbed_scores(const std::vector<TestbedCell>& cells) {
  TestbedStudyScores scores;
  for (const TestbedCell& cell : cells) {
    if (cell.is_break_even() || !cell.is_measured()) continue;
    const std::string group = cell.grid + ", " + cell.kind;
    add_to(scores.times[group], cell.middle(), cell.predicted);
    const auto one = speed_up(cells, cell);
    if (!one) continue;
    add_to(scores.speed_ups[group], *one);
    if (cell.matters) add_to(scores.where_it_matters, *one);
  }
  return scores;
}

}  // namespace sim::validation
