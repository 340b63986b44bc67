// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/stored_contest.hpp"

#include <algorithm>

#include "sim/schemes/scheme.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/search/verdict.hpp"

namespace apps {
namespace {

double number_at(const Inputs& object, const char* name, double otherwise = 0) {
  const Inputs value = object.value(name, Inputs());
  return value.is_number() ? value.get<double>() : otherwise;
}

std::optional<sim::Sensitivity> sensitivity_of(const Inputs& report) {
  const Inputs found = report.value("sensitivity", Inputs());
  if (!found.is_object()) return std::nullopt;
  const double network = number_at(found, "network");
  return sim::Sensitivity{.compute = number_at(found, "compute"),
                          .network = network,
                          .codecs = number_at(found, "codecs"),
                          .slower_host = number_at(found, "slower_host"),
                          .faster_host = number_at(found, "faster_host"),
                          // Older stores have one for both.
                          .slower_network = number_at(found, "slower_network", network)};
}

}  // namespace

double figure_of(const StoredPoint& point, const char* name) {
  return number_at(point.outcome.report, name);
}

PointSpeed speed_of(const StoredPoint& point) {
  return {.tokens_per_s = figure_of(point, "tokens_per_s"),
          .fits = point.outcome.state == "done",
          .sensitivity = sensitivity_of(point.outcome.report)};
}

double speedup_of(const PointSpeed& one, const PointSpeed& other) {
  return one.tokens_per_s / other.tokens_per_s;
}

std::optional<sim::LikelyRatio> range_of(const PointSpeed& one, const PointSpeed& other) {
  return sim::study::range_of_ratio(speedup_of(one, other), one.sensitivity, other.sensitivity);
}

std::optional<sim::Verdict> verdict_of(const PointSpeed& one, const PointSpeed& other) {
  return sim::study::verdict_of({.speedup = speedup_of(one, other),
                                 .range = range_of(one, other),
                                 .fits = one.fits,
                                 .other_fits = other.fits});
}

bool sends_plain(const std::string& scheme) {
  const auto& all = sim::all_schemes(sim::SchemeKind::inside);
  return std::ranges::any_of(
      all, [&](const sim::Scheme* one) { return one->name == scheme && one->sends_plain(); });
}

}  // namespace apps
