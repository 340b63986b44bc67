// SPDX-License-Identifier: Apache-2.0
// Knobs: every flag of `run` and every key of its input files, each with a change of it and what
// that does to the answer.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace apps_tests {

enum class Direction { up, down, changed, same, fails };

struct Knob {
  std::string_view name;    // "--tp", or a key as --set spells it
  std::string_view base;    // arguments of `run` that stay
  std::string_view value;   // that the knob is turned to; none for a flag without one
  std::string_view figure;  // JSON pointer into the answer, "stdout", or a file that is written
  Direction direction;      // of the figure; of a text, its length
};

// Those of one cluster, its model and its schemes.
[[nodiscard]] std::span<const Knob> all_knobs();
// Those that only several sites have.
[[nodiscard]] std::span<const Knob> wide_area_knobs();
void PrintTo(const Knob& knob, std::ostream* out);  // for Google Test's messages

}  // namespace apps_tests
