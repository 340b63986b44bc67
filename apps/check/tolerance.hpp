// SPDX-License-Identifier: Apache-2.0
// Metrics of a report: the direction in which each gets worse, and the tolerance: differences this
// small are ignored.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace apps {

// What is worse than the baseline: more seconds, fewer tokens. Neither for a break-even bandwidth.
enum class Worse { more, less, neither };

// The metrics with known names, in display order, then all others.
[[nodiscard]] Worse worse_of(std::string_view metric);
[[nodiscard]] bool is_known_metric(std::string_view metric);
// Its place in that order.
[[nodiscard]] std::size_t rank_of(std::string_view metric);

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

// "2 %", "1e-06", "2 % or 1e-06", "off".
[[nodiscard]] std::string tolerance_text(const Tolerance& tolerance);

// "codec_s=0.5%", "codec_s=1e-6", "codec_s=0.5%,1e-6", "codec_s=off": a metric and its tolerance.
// Throws InputError at --tolerance.
[[nodiscard]] std::pair<std::string, Tolerance> parse_tolerance(const std::string& text);

}  // namespace apps
