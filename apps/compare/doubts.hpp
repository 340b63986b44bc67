// SPDX-License-Identifier: Apache-2.0
// The assumptions of a comparison: which sides they concern, and their factors, redrawn in every
// repetition.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/compare/performance.hpp"

namespace apps {

// An assumption of both sides, wrong by the same factor in both, or of one side.
struct Doubt {
  const Assumption* assumption = nullptr;
  bool of_a = false, of_b = false;
  Spread spread;

  [[nodiscard]] const char* whose() const { return of_a ? of_b ? "both" : "A" : "B"; }
};

// The assumptions of both sides. They share: GPU rates if both have the same set of GPUs with the
// same calibrations; links if both have the same set of clusters; the network between sites if both
// use the same file; and always the communication library. A site counts as its cluster's file, so
// that sites of a file and a single such cluster share both. `spreads` are NAME=NUMBER and replace
// the tables' spreads. Throws InputError.
[[nodiscard]] std::vector<Doubt> doubts_of(const Side& a, const Side& b,
                                           const std::vector<std::string>& spreads);

struct Pair {
  Performance a, b;
};

// Simulates both sides with each doubt's constant times its factor.
[[nodiscard]] Pair simulate_pair(const Comparison& comparison, const std::vector<Doubt>& doubts,
                                 const std::vector<double>& factors);

// As many repetitions as the options say, each with its own factors: log-normal with median 1. The
// same seed gives the same pairs, and a longer list begins with the shorter one. `step` is called
// before each.
[[nodiscard]] std::vector<Pair> simulate_repetitions(const Comparison& comparison,
                                                     const std::vector<Doubt>& doubts,
                                                     const std::function<void()>& step);

}  // namespace apps
