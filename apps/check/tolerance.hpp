// SPDX-License-Identifier: Apache-2.0
// Metrics of a report: the direction in which each gets worse, and the tolerance: differences this
// small are ignored.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/report/figures.hpp"

namespace apps {

using sim::Worse;

// Of metrics that are codec errors, "codec_error.normal". All others are figures (sim/report).
inline constexpr std::string_view kCodecErrors = "codec_error.";

[[nodiscard]] Worse worse_of(std::string_view metric);
// Behind a message that points lack a metric: "; for it, write ...".
[[nodiscard]] std::string how_to_have(std::string_view metric);

// A difference is ignored if either limit allows it.
struct Tolerance {
  double relative = 0;  // of the baseline
  double absolute = 0;  // in the metric's own unit
  bool off = false;     // ignore any difference
};

// By metric. "all" applies to metrics without their own.
using Tolerances = std::map<std::string, Tolerance, std::less<>>;
inline constexpr const char* kAllMetrics = "all";

// Predictions are the same on every run; another compiler may round differently.
inline constexpr Tolerance kUsualTolerance{.relative = 1e-6, .absolute = 1e-9};

[[nodiscard]] Tolerance tolerance_of(std::string_view metric, const Tolerances& tolerances);
[[nodiscard]] bool is_within(double before, double now, const Tolerance& tolerance);

// Six digits; and "+3.1 %", empty where it would be meaningless.
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string change_text(double before, double now);

// "2 %", "1e-06", "2 % or 1e-06", "off".
[[nodiscard]] std::string tolerance_text(const Tolerance& tolerance);

// "codec_s=0.5%", "codec_s=1e-6", "codec_s=0.5%,1e-6", "codec_s=off": a metric and its tolerance.
// Throws InputError at --tolerance.
[[nodiscard]] std::pair<std::string, Tolerance> parse_tolerance(const std::string& text);

}  // namespace apps
