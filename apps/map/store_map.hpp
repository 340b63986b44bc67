// SPDX-License-Identifier: Apache-2.0
// A map of a sweep's results: the fastest value of one input, over two others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/sweep/points.hpp"
#include "apps/sweep/stored_contest.hpp"

namespace apps {

// `x` and `y` are inputs of the sweep, or axes of a map that stand for one.
struct StoreMapOptions {
  std::string store, x, y, over, baseline, where, format;
};

// A value of --over, and what it gives.
struct Contender {
  std::string over;
  PointSpeed speed;
};

// A value of both axes. Values that need more memory than a GPU has are no contenders.
struct StoreCell {
  Inputs x, y;
  std::optional<Contender> baseline, challenger;  // the fastest of each kind, if one fits

  // Nothing if there are no two to compare.
  [[nodiscard]] std::optional<double> speedup() const {
    if (!baseline || !challenger) return std::nullopt;
    return speedup_of(challenger->speed, baseline->speed);
  }
  [[nodiscard]] std::optional<sim::LikelyRatio> range() const {
    if (!baseline || !challenger) return std::nullopt;
    return range_of(challenger->speed, baseline->speed);
  }
  // The challenger's; nothing if nothing fits. One that is alone wins.
  [[nodiscard]] std::optional<sim::Verdict> verdict() const {
    if (baseline && challenger) return verdict_of(challenger->speed, baseline->speed);
    if (challenger) return sim::Verdict::win;
    return baseline ? std::optional(sim::Verdict::loss) : std::nullopt;
  }
};

struct StoreMap {
  std::string x, y;              // the inputs
  std::vector<Inputs> xs, ys;    // ascending, as numbers or quantities; else in the sweep's order
  std::vector<StoreCell> cells;  // by y, then by x; where the store has a point
};

// A value of an axis as a number, a quantity in base units; null if it is neither.
[[nodiscard]] Inputs number_of(const Inputs& value);

// Throws InputError if an input besides the three varies among the points of a cell, or is unknown.
[[nodiscard]] StoreMap map_store(Store& store, const StoreMapOptions& options);

// map STORE ...
int map_of_store(const std::vector<std::string>& arguments);

}  // namespace apps
