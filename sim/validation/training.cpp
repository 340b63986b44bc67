// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/base/csv.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim::validation {
namespace {

TrainingRow training_row(const CsvRow& line) {
  TrainingRow row{.id = line.text("id"),
                  .fold = line.text("fold"),
                  .stack = line.text("stack"),
                  .gpu = line.text("gpu"),
                  .precision = line.text("precision"),
                  .topology = line.text("topology"),
                  .model = line.text("model"),
                  .flags = line.text("flags"),
                  .gpus = line.integer("gpus"),
                  .tokens_per_s_per_gpu = std::nullopt,
                  .counts = line.text("counts") == "1"};
  if (!line.text("tokens_per_s_per_gpu").empty()) {
    row.tokens_per_s_per_gpu = line.number("tokens_per_s_per_gpu");
  }
  if (!row.counts && line.text("counts") != "0") line.fail("counts: is neither 0 nor 1");
  return row;
}

}  // namespace

std::vector<TrainingRow> read_training_file(const std::filesystem::path& file) {
  std::vector<TrainingRow> rows;
  std::set<std::string> ids;
  for (const CsvRow& line : read_csv(file)) {
    rows.push_back(training_row(line));
    if (!ids.insert(rows.back().id).second) {
      line.fail(fmt::format("id: '{}' is there twice", printable(rows.back().id)));
    }
  }
  return rows;
}

std::vector<TrainingRow> read_training(const std::filesystem::path& folder) {
  return read_training_file(folder / "traces" / "published" / "training.csv");
}

bool is_apart(const TrainingRow& row, const std::vector<TrainingRow>& all) {
  const auto none_other = [&](std::string TrainingRow::*name) {
    return std::ranges::none_of(all, [&](const TrainingRow& other) {
      return other.is_scored() && other.fold != row.fold && other.*name == row.*name;
    });
  };
  return none_other(&TrainingRow::gpu) || none_other(&TrainingRow::stack);
}

}  // namespace sim::validation
