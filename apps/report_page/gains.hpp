// SPDX-License-Identifier: Apache-2.0
// Gains: how each point of a study compares with uncompressed training. The page shows these and decides
// nothing itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "apps/sweep/stored_contest.hpp"

namespace apps {

// A point's speed-up over what it is compared with: over its own baseline, where the study has one; else
// over the fastest uncompressed scheme among the points that differ from it only in the scheme, and in
// inputs that follow from the scheme.
struct Gain {
  std::string over;  // a scheme; empty: nothing to compare with
  bool over_fits = true;
  double speedup = 0;  // whether the two fit in memory or not
  std::optional<sim::Verdict> verdict = {};
};

// Of all points with a report, by their numbers.
using Gains = std::map<std::int64_t, Gain>;
[[nodiscard]] Gains gains_of(Store& store);

}  // namespace apps
