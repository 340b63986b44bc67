// Metrics of a report: which way each is worse, and how much of a difference is none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace apps {

// What is worse than the baseline: more seconds, fewer tokens. Of a break-even bandwidth neither.
enum class Worse { more, less, neither };

// The metrics that are known by name, in the order in which they are shown, then all others.
[[nodiscard]] Worse worse_of(std::string_view metric);
[[nodiscard]] bool is_known_metric(std::string_view metric);
// Its place in that order.
[[nodiscard]] std::size_t rank_of(std::string_view metric);

// A difference is none where either of them allows it.
struct Tolerance {
  double relative = 0;  // of the baseline
  double absolute = 0;  // in the metric's own unit
  bool off = false;     // whatever it is
};

// By metric. "all" are those that have none of their own.
using Tolerances = std::map<std::string, Tolerance, std::less<>>;
inline constexpr const char* kAllMetrics = "all";

// Predictions are the same on every run; another compiler may round otherwise.
inline constexpr Tolerance kUsualTolerance{.relative = 1e-6, .absolute = 1e-9};

[[nodiscard]] Tolerance tolerance_of(std::string_view metric, const Tolerances& tolerances);
[[nodiscard]] bool is_within(double before, double now, const Tolerance& tolerance);

// "codec_s=0.5%", "codec_s=1e-6", "codec_s=0.5%,1e-6", "codec_s=off": a metric and its tolerance.
// Throws InputError at --tolerance.
[[nodiscard]] std::pair<std::string, Tolerance> parse_tolerance(const std::string& text);

}  // namespace apps
