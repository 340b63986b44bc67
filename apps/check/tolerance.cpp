// SPDX-License-Identifier: Apache-2.0
#include "apps/check/tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/arguments.hpp"
#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

// A finite number from 0 up, which is all of the text.
std::optional<double> bound_in(std::string_view text) {
  const auto value = sim::number_in<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

}  // namespace

Worse worse_of(std::string_view metric) {
  if (metric.starts_with(kCodecErrors)) return Worse::more;
  const sim::Figure* const figure = sim::find_figure(metric);
  return figure == nullptr ? Worse::neither : figure->worse;
}

std::string how_to_have(std::string_view metric) {
  if (metric.starts_with("speedup")) {
    return "; for it, write baseline = \"twin\" in the spec, or run with --baseline twin";
  }
  return "; gardenhose list figures names all";
}

Tolerance tolerance_of(std::string_view metric, const Tolerances& tolerances) {
  if (const auto own = tolerances.find(metric); own != tolerances.end()) return own->second;
  const auto all = tolerances.find(kAllMetrics);
  return all == tolerances.end() ? kUsualTolerance : all->second;
}

bool is_within(double before, double now, const Tolerance& tolerance) {
  const double limit = std::max(tolerance.absolute, tolerance.relative * std::abs(before));
  return tolerance.off || std::abs(now - before) <= limit;
}

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

std::string change_text(double before, double now) {
  if (before == 0) return "";
  const double percent = 100 * (now - before) / std::abs(before);
  return fmt::format("{:+.{}g} %", percent, std::abs(percent) < 1 ? 2 : 3);
}

std::string tolerance_text(const Tolerance& tolerance) {
  if (tolerance.off) return "off";
  const std::string relative = fmt::format("{:.6g} %", 100 * tolerance.relative);
  const std::string absolute = fmt::format("{:.6g}", tolerance.absolute);
  if (tolerance.absolute == 0) return relative;
  return tolerance.relative == 0 ? absolute : fmt::format("{} or {}", relative, absolute);
}

std::pair<std::string, Tolerance> parse_tolerance(const std::string& text) {
  const auto refuse = [&] {
    throw sim::InputError(
        fmt::format("--tolerance: '{}' is not METRIC=TOLERANCE; write e.g. step_time_s=0.5%, "
                    "codec_s=1e-6, codec_s=0.5%,1e-6, bubble_s=off or all=0.1%",
                    sim::printable(text)));
  };
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) refuse();
  const std::string value = text.substr(equals + 1);
  Tolerance tolerance{.off = value == "off"};
  if (tolerance.off) return {text.substr(0, equals), tolerance};
  const std::vector<std::string> parts = split(value);
  if (parts.size() > 2) refuse();
  bool has_relative = false, has_absolute = false;
  for (const std::string& part : parts) {
    const bool percent = part.ends_with('%');
    const auto number = bound_in(percent ? std::string_view(part).substr(0, part.size() - 1)
                                         : std::string_view(part));
    bool& has = percent ? has_relative : has_absolute;
    if (!number || has) refuse();
    has = true;
    (percent ? tolerance.relative : tolerance.absolute) = percent ? *number / 100 : *number;
  }
  return {text.substr(0, equals), tolerance};
}

}  // namespace apps
