// SPDX-License-Identifier: Apache-2.0
#include "apps/check/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"

namespace apps {
namespace {

std::set<std::string> metrics_in(const Results& before, const Results& now) {
  std::set<std::string> names;
  for (const Results* results : {&before, &now}) {
    for (const Result& point : results->points) {
      for (const auto& [name, value] : point.metrics.items()) names.insert(name);
    }
  }
  return names;
}

// A limit of a metric that nothing has would be ignored.
void check_known(const std::string& place, const std::string& metric,
                 const std::set<std::string>& known) {
  if (known.contains(metric)) return;
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string meant = sim::suggestion(metric, names);
  throw sim::InputError(fmt::format("{}: '{}' is not a metric of these points{}", place,
                                    sim::printable(metric),
                                    meant.empty() ? how_to_have(metric) : meant));
}

// A tolerance as large as the values lets everything pass: a percent sign was probably forgotten.
void refuse_too_wide(const std::string& metric, const Tolerance& tolerance, const Results& before,
                     const Results& now) {
  double largest = 0;
  for (const Results* results : {&before, &now}) {
    for (const Result& point : results->points) {
      largest = std::max(largest, std::abs(number_of(point.metrics, metric).value_or(0)));
    }
  }
  if (largest == 0 || tolerance.absolute < largest) return;
  throw sim::InputError(
      fmt::format("--tolerance: {0}={1:g} allows any difference, since no {0} here exceeds "
                  "{2:.3g}; write {0}={1:g}% for a relative tolerance, or {0}=off",
                  metric, tolerance.absolute, largest));
}

Requirement requirement_in(const std::string& text) {
  const auto parsed = parse_requirement(text, "--require");
  if (!parsed.value) throw sim::InputError("--require: " + parsed.problem);
  return *parsed.value;
}

}  // namespace

void check_limits(const LimitFlags& flags) {
  for (const std::string& text : flags.tolerances) static_cast<void>(parse_tolerance(text));
  for (const std::string& text : flags.requirements) static_cast<void>(requirement_in(text));
}

Limits limits_of(const LimitFlags& flags, const std::optional<Baseline>& baseline,
                 const std::string& file, const Results& now) {
  Limits limits = baseline ? baseline->limits : Limits{};
  const Results before = baseline ? baseline->results : Results{};
  std::set<std::string> compared = metrics_in(before, now);
  compared.insert(kAllMetrics);
  // A metric without a tolerance may have no place in the baseline, and one that is required need not.
  std::set<std::string> known = compared;
  for (const sim::Figure& figure : sim::all_figures()) {
    if (figure.unit.kind == sim::FigureKind::number) known.emplace(figure.name);
  }
  for (const auto& [metric, tolerance] : limits.tolerances) {
    if (tolerance.off && metric.starts_with(kCodecErrors)) continue;
    check_known(file + ": /tolerances", metric, tolerance.off ? known : compared);
  }
  for (const std::string& text : flags.tolerances) {
    auto [metric, tolerance] = parse_tolerance(text);
    const bool was_off = baseline && tolerance_of(metric, baseline->limits.tolerances).off;
    if (was_off && known.contains(metric) && !compared.contains(metric)) {
      throw sim::InputError(fmt::format("--tolerance: {} lacks '{}', which was off; add --update",
                                        file, sim::printable(metric)));
    }
    check_known("--tolerance", metric, compared);
    refuse_too_wide(metric, tolerance, before, now);
    limits.tolerances[metric] = tolerance;
  }
  limits.tolerances.try_emplace(kAllMetrics, kUsualTolerance);
  for (const std::string& text : flags.requirements) add(requirement_in(text), limits.requirements);
  known.erase(kAllMetrics);
  for (const Requirement& one : limits.requirements) {
    if (!one.metric.starts_with(kCodecErrors)) check_known(one.place, one.metric, known);
  }
  return limits;
}

std::string limits_text(const Limits& limits) {
  std::vector<std::string> parts, required;
  for (const auto& [metric, tolerance] : limits.tolerances) {
    if (metric != kAllMetrics) {
      parts.push_back(fmt::format("{} {}", metric, tolerance_text(tolerance)));
    }
  }
  parts.push_back(fmt::format("{} {}", parts.empty() ? "all metrics" : "all others",
                              tolerance_text(limits.tolerances.at(kAllMetrics))));
  for (const Requirement& one : limits.requirements) required.push_back(one.text);
  return "tolerance: " + sim::joined(parts) +
         (required.empty() ? "" : "; required: " + sim::joined(required));
}

}  // namespace apps
