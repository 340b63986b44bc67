// SPDX-License-Identifier: Apache-2.0
// The assumptions of a comparison: which sides they concern, and their factors, redrawn in every
// repetition.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/study/compare/comparison.hpp"
#include "sim/study/search/likely_range.hpp"

namespace sim::study {

// An assumption of both sides, wrong by the same factor in both, or of one side.
struct Doubt {
  const Assumption* assumption = nullptr;
  bool of_a = false, of_b = false;
  Spread spread;

  // Of the ratio itself: A is so many times as fast as simulated.
  [[nodiscard]] bool is_of_model() const { return assumption == &kModel; }
  // Where the constant's logarithm is off by this.
  [[nodiscard]] double spread_at(double off) const {
    const bool is_faster = assumption->more_is_faster == (off > 0);
    return spread.towards(is_faster ? Towards::faster : Towards::slower);
  }
  [[nodiscard]] const char* whose() const { return of_a ? of_b ? "both" : "A" : "B"; }
};

// A spread for the assumption of this name, or for "all".
struct GivenSpread {
  std::string name;
  Spread spread;
};

// The assumptions of both sides. They share: GPU rates if both have the same set of GPUs with the
// same calibrations; links if both have the same set of clusters; the network between sites if both
// use the same file; and always the communication library. The model's own error is of A over B. A site counts as its cluster's file, so
// that sites of a file and a single such cluster share both. `spreads` replace the tables'.
// Throws InputError.
[[nodiscard]] std::vector<Doubt> doubts_of(const Side& a, const Side& b,
                                           std::span<const GivenSpread> spreads = {});

// Whether the sides share what the doubts of GPUs, and of the network, are about.
[[nodiscard]] SharedErrors shared_errors(const Side& a, const Side& b);

struct Pair {
  Performance a, b;

  // With A so many times as fast: by the model's own error, of which two that take as long have none,
  // as they are the same step.
  [[nodiscard]] Pair off_by(double ratio) const {
    return a.time_s == b.time_s ? *this : Pair{a.faster(ratio), b};
  }
};

// Simulates both sides with each doubt's constant times its factor.
[[nodiscard]] Pair simulate_pair(const Comparison& comparison, const std::vector<Doubt>& doubts,
                                 const std::vector<double>& factors);

// As many repetitions as the comparison says, each with its own factors: log-normal with median 1. The
// same seed gives the same pairs, and a longer list begins with the shorter one. `step` is called
// before each.
[[nodiscard]] std::vector<Pair> simulate_repetitions(const Comparison& comparison,
                                                     const std::vector<Doubt>& doubts,
                                                     const std::function<void()>& step);

}  // namespace sim::study
