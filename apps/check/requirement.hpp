// SPDX-License-Identifier: Apache-2.0
// Requirements: what predicted figures must be, whatever they were: "speedup>=1.05 @ scheme=sdp4bit".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/check/results.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {

struct Requirement {
  std::string text;   // "speedup>=1.05 @ scheme=sdp4bit"
  std::string place;  // where it was given
  std::string metric;
  std::string bound;  // ">=1.05"
  double value = 0;   // in the metric's unit
  bool is_least = false, is_strict = false;
  std::vector<std::pair<std::string, std::string>> inputs = {};  // of the points that it is for
};

// METRIC>=VALUE, METRIC<=, METRIC>, METRIC<; a value may have a unit, "2.5 s" or "40 %". Behind @ are
// the inputs that points have, as they are shown: "scheme=sdp4bit nodes=4".
[[nodiscard]] sim::Parsed<Requirement> parse_requirement(const std::string& text,
                                                         const std::string& place);

// Adds one in place of that with a bound on the same side for the same inputs.
void add(const Requirement& requirement, std::vector<Requirement>& requirements);

[[nodiscard]] bool is_for(const Requirement& requirement, const Result& point);
[[nodiscard]] bool is_met(const Requirement& requirement, double value);

}  // namespace apps
