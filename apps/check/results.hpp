// SPDX-License-Identifier: Apache-2.0
// Results: the input of a comparison, today's and the baseline's alike: a sweep's points, or the
// JSON that run prints.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/sweep/points.hpp"
#include "sim/base/json_reader.hpp"

namespace apps {

struct Result {
  Inputs inputs;      // identify the point
  std::string state;  // of a sweep's point; a round's outcome unless it is complete
  Inputs metrics;     // numbers by name, in the order of the report
  Inputs setup;       // texts by name: the setup that ran, from the inputs and the defaults
  Inputs sources;     // texts by constant
  int line = 0;       // in the baseline's file, where it has a line of its own
  // Today's results only:
  Inputs uncompared;               // numbers by name that follow from metrics: ends of ranges
  std::vector<std::string> files;  // input files
  std::string message;
  double wall_s = 0;
};

struct Results {
  std::string version;                       // of gardenhose
  std::map<std::string, std::string> files;  // SHA-256 by name, for all points; none for run's JSON
  std::vector<Result> points;
  int stopped_by = 0;  // a signal, before all points had run: the rest is empty
};

[[nodiscard]] std::optional<double> number_of(const Inputs& numbers, const std::string& name);

// Throws InputError if points are open, or were computed from different files or by different
// versions.
[[nodiscard]] Results results_in(Store& store);
// Runs the points of a spec, `jobs` at a time. Throws InputError as read_spec() does, and if an
// input file changes meanwhile.
[[nodiscard]] Results run_spec(const std::filesystem::path& spec, int jobs);
// Reads what `run --format json` prints, for one scheme or several: each is a point, identified by
// topology, model and scheme, and by a counter if these repeat. Throws an InputError located at the
// error.
[[nodiscard]] Results results_of_run(const sim::JsonDocument& document);

}  // namespace apps
