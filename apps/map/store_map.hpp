// A map of what a sweep has found: over two of its inputs, which value of a third one is fastest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/sweep/store.hpp"

namespace apps {

struct StoreMapOptions {
  std::string store, x, y, over, baseline, where, format;
};

// A value of both axes. What needs more memory than a GPU has is no candidate.
struct StoreCell {
  Inputs x, y;
  std::optional<std::string> baseline, challenger;  // the fastest of each kind, where one fits
  double baseline_tokens_per_s = 0, challenger_tokens_per_s = 0;

  // Nothing where there are no two to compare.
  [[nodiscard]] std::optional<double> speedup() const {
    if (!baseline || !challenger) return std::nullopt;
    return challenger_tokens_per_s / baseline_tokens_per_s;
  }
};

struct StoreMap {
  std::vector<Inputs> xs, ys;  // upwards: as numbers, or as quantities; else as the sweep has them
  std::vector<StoreCell> cells;  // by y, then by x; where the store has a point
};

// A value of an axis as a number: a quantity in base units; null where it is neither.
[[nodiscard]] Inputs number_of(const Inputs& value);

// Throws InputError where an input besides the three varies among points of a cell, and where what
// they are is not known.
[[nodiscard]] StoreMap map_store(Store& store, const StoreMapOptions& options);

// map STORE ...
int map_of_store(const std::vector<std::string>& arguments);

}  // namespace apps
