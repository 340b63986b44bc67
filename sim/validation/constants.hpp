// Constants: every number of the inputs that moves a prediction, where it comes from, and how much
// the error would change if it were 10 % off.
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
  std::string source;  // the comment above the key; empty: none, and so it counts as fitted
  bool fitted = false;
  // Mean error of the measured rows that no constant was fitted on, minus that with the values as
  // they are. The lower value is 0.9 times the value, the upper 1.1 times; shares end at 1, and
  // whole numbers move by one at least.
  double lower = 0, upper = 0;
};

// All numbers of the clusters' files and of the calibration table that move a row of
// `measurements`. Counts of nodes, GPUs and NICs are the experiment's own and left out. One tick a
// number.
[[nodiscard]] std::vector<Constant> list_constants(const std::filesystem::path& folder,
                                                   const Inputs& inputs,
                                                   const std::vector<Measurement>& measurements,
                                                   const Tick& tick);
// How many ticks that is.
[[nodiscard]] int constant_count(const std::filesystem::path& folder, const Inputs& inputs);

}  // namespace sim::validation
