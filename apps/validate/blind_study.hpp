// SPDX-License-Identifier: Apache-2.0
// What `validate blind` answers, and files of frozen predictions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/validation/blind.hpp"

namespace apps {

struct BlindStudy {
  std::string left_out;  // "fold" or "generation"
  std::vector<sim::validation::TrainingRow> rows;
  // By row, as are the predictions. Frozen ones have their files' values.
  std::vector<double> efficiencies;
  std::vector<std::optional<sim::validation::BlindPrediction>> predictions;
  std::string frozen;  // when, and by which version; empty: made now
};

// Writes what a prediction needs to be checked later: the date, the version, the hashes of its
// inputs, and for each row its command line, prediction and range.
void freeze(const BlindStudy& study, const std::filesystem::path& file);
// Predictions of the rows that such a file has, for today's values. Throws InputError if it is not
// one, or has a row that is not in the data set; warns of inputs that have changed since.
[[nodiscard]] BlindStudy thawed(const std::filesystem::path& file,
                                std::vector<sim::validation::TrainingRow> rows);

}  // namespace apps
