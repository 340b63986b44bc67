// SPDX-License-Identifier: Apache-2.0
// Constants: every number of the inputs that affects a prediction, its source, and the change in
// error if it were 10 % off.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/validation/study.hpp"

namespace sim::validation {

struct Constant {
  std::string file;    // "sdp4bit_a100.toml"
  std::string key;     // "network.latency"
  std::string value;   // as written
  std::string source;  // the comment above the key; empty: none, so it counts as fitted
  bool fitted = false;
  // Mean error of the measured rows without a constant fitted on them, minus the same error with
  // unchanged values. The lower value is 0.9 times the value, the upper 1.1 times; shares end at 1,
  // and whole numbers change by at least one.
  double lower = 0, upper = 0;
};

// All numbers of the clusters' files and of the calibration table that affect a row of
// `measurements`. Counts of nodes, GPUs and NICs belong to the experiment and are left out. One
// tick per number.
[[nodiscard]] std::vector<Constant> list_constants(const std::filesystem::path& folder,
                                                   const Inputs& inputs,
                                                   const std::vector<Measurement>& measurements,
                                                   int jobs, const Tick& tick);
// The number of its ticks.
[[nodiscard]] int constant_count(const std::filesystem::path& folder, const Inputs& inputs);

}  // namespace sim::validation
