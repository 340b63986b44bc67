// SPDX-License-Identifier: Apache-2.0
// SPEC.toml: which points a sweep has. A point is one `gardenhose run`: a value for each input.
//
//   where = ["tp * pp <= nodes * 8"]     # SQL over the inputs: what points have to fulfil.
//                                        # '-' and '.' of a name are '_' here.
//   [run]                                # the same in all points, by the flags of run
//   topology = "dgx_h100_x128"
//   [grid]                               # every combination of these
//   nodes = [1, 2, 4]
//   network.nic_bandwidth = ["100 Gbps", "400 Gbps"]     # a dot: a key of an input file, as --set
//   [together.size]                      # lists of one length, whose n-th values go together
//   model = ["gpt_125m", "gpt_13b"]
//   tp = [1, 8]
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sweep/inputs.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/base/toml_keys.hpp"

namespace apps {

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
  sim::TomlPlace where_place;
};

inline constexpr std::int64_t kMostPoints = 1'000'000;

// The keys of a spec.
[[nodiscard]] std::span<const sim::TomlKey> spec_keys();

// Throws an InputError with a line for each problem: keys that are not flags of run, lists that are
// empty, differ in length or repeat a value, more than kMostPoints combinations.
[[nodiscard]] Spec read_spec(const std::filesystem::path& file);
// The same from text; `file` is what messages call it.
[[nodiscard]] Spec parse_spec(std::string text, const std::filesystem::path& file);

// The number of combinations of the axes; a place is a number below it.
[[nodiscard]] std::int64_t combinations(const Spec& spec);
[[nodiscard]] Inputs inputs_at(const Spec& spec, std::int64_t place);
// The places that `where` keeps, ascending. Throws InputError for invalid SQL.
[[nodiscard]] std::vector<std::int64_t> places_of(const Spec& spec);

}  // namespace apps
