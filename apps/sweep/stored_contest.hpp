// SPDX-License-Identifier: Apache-2.0
// Verdicts over a sweep's results, by the rule of sim/study/search/verdict.hpp.
#pragma once

#include <optional>
#include <string>

#include "apps/sweep/points.hpp"
#include "sim/report/report.hpp"

namespace apps {

// What a comparison needs of a point with a report.
struct PointSpeed {
  double tokens_per_s = 0;
  bool fits = true;
  std::optional<sim::Sensitivity> sensitivity;  // older stores have none
};
[[nodiscard]] PointSpeed speed_of(const StoredPoint& point);

[[nodiscard]] double speedup_of(const PointSpeed& one, const PointSpeed& other);
// Of that speed-up, if both tell what their times depend on.
[[nodiscard]] std::optional<sim::LikelyRatio> range_of(const PointSpeed& one,
                                                       const PointSpeed& other);
[[nodiscard]] std::optional<sim::Verdict> verdict_of(const PointSpeed& one,
                                                     const PointSpeed& other);

// Whether a scheme inside a cluster sends all values uncompressed; false for unknown names.
[[nodiscard]] bool sends_plain(const std::string& scheme);

// A figure of a report; 0 if it has none.
[[nodiscard]] double figure_of(const StoredPoint& point, const char* name);

}  // namespace apps
