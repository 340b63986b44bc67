// SPDX-License-Identifier: Apache-2.0
// SPEC.toml: which points a sweep has. A point is a value for each input. In a spec of `gardenhose
// sweep`, inputs are what `gardenhose run` takes:
//
//   where = ["tp * pp <= nodes * 8"]     # SQL over the inputs: what points have to fulfil.
//                                        # '-' and '.' of a name are '_' here.
//   [run]                                # the same in all points
//   topology = "dgx_h100_x128"
//   [grid]                               # every combination of these
//   nodes = [1, 2, 4]
//   network.nic_bandwidth = ["100 Gbps", "400 Gbps"]     # a dot: a key of an input file
//   [together.size]                      # lists of one length, whose n-th values go together
//   model = ["gpt_125m", "gpt_13b"]
//   tp = [1, 8]
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/toml_document.hpp"
#include "sim/study/sweep/inputs.hpp"

namespace sim::sweep {

// Keys that change together, row by row.
struct Axis {
  std::vector<std::string> keys;
  std::vector<std::vector<Inputs>> rows;  // a value for each key
};

struct Spec {
  std::filesystem::path file;
  std::string text;
  std::vector<Axis> axes;  // the last one changes fastest
  std::vector<std::string> where;
  TomlPlace where_place;
};

inline constexpr std::int64_t kMostPoints = 1'000'000;

// Which inputs a spec may give; all by default.
struct InputRules {
  // What is wrong with a key, or with a value of it; empty where nothing is.
  std::function<std::string(const std::string& key)> problem_of_key = [](const std::string&) {
    return "";
  };
  std::function<std::string(const std::string& key, const Inputs& value)> problem_of_value =
      [](const std::string&, const Inputs&) { return ""; };
  std::vector<std::string> required;  // keys
};

// Throws an InputError with a line for each problem: keys against the rules, lists that are empty,
// differ in length or repeat a value, more than kMostPoints combinations.
[[nodiscard]] Spec read_spec(const std::filesystem::path& file, const InputRules& rules = {});
// The same from text; `file` is what messages call it.
[[nodiscard]] Spec parse_spec(std::string text, const std::filesystem::path& file,
                              const InputRules& rules = {});

// The number of combinations of the axes; a place is a number below it.
[[nodiscard]] std::int64_t combinations(const Spec& spec);
[[nodiscard]] Inputs inputs_at(const Spec& spec, std::int64_t place);
// The places that `where` keeps, ascending. Throws InputError for invalid SQL.
[[nodiscard]] std::vector<std::int64_t> places_of(const Spec& spec);

}  // namespace sim::sweep
