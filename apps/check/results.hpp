// Results: what a check compares, today's and the baseline's alike. Of a sweep's points, or of what
// run printed as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/sweep/spec.hpp"
#include "sim/base/json_reader.hpp"

namespace apps {

class Store;

struct Result {
  Inputs inputs;      // by which it is the same point
  std::string state;  // of a sweep's point; what a round's outcome is, where it is not complete
  Inputs metrics;     // numbers by name, in the order of rank_of()
  Inputs setup;       // texts by name: what was run, as the inputs and the defaults made it
  Inputs sources;     // texts by constant
  // Of today's results alone.
  std::vector<std::string> files;  // that it was computed from
  std::string message;
  double wall_s = 0;
};

struct Results {
  std::string version;                       // of gardenhose
  std::map<std::string, std::string> files;  // SHA-256 by name, of all points; of run's JSON none
  std::vector<Result> points;
  int stopped_by = 0;  // a signal, before all points were run: the rest is empty
};

// Metrics in the order of rank_of(): those that people look at first come first.
[[nodiscard]] Inputs in_order(const Inputs& metrics);

// Throws InputError where points are open, or were computed from files or by versions that differ.
[[nodiscard]] Results results_in(Store& store);
// What `run --format json` prints, of one scheme or of several: each is a point by its topology,
// model and scheme, and by its occurrence where these come again. Throws InputError at the place.
[[nodiscard]] Results results_of_run(const sim::JsonDocument& document);

}  // namespace apps
