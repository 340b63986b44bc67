// What a comparison rests on: each assumption with whose it is, drawn anew in every repetition.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/compare/performance.hpp"

namespace apps {

// An assumption of both sides, which is then wrong by the same factor in both, or of one.
struct Doubt {
  const Assumption* assumption = nullptr;
  bool of_a = false, of_b = false;
  Spread spread;

  [[nodiscard]] const char* whose() const { return of_a ? of_b ? "both" : "A" : "B"; }
};

// Of what each side rests on. Shared are: GPUs' rates where both sides have the same set of GPUs
// with their calibrations, links where they have the same set of clusters, what is between sites
// where both are of the same file, and always what is the communication library's. A site counts
// as its cluster's file, so that sites of a file and one cluster of it share both. `spreads` are
// NAME=NUMBER, for which the tables' spreads make place. Throws InputError.
[[nodiscard]] std::vector<Doubt> doubts_of(const Side& a, const Side& b,
                                           const std::vector<std::string>& spreads);

struct Pair {
  Performance a, b;
};

// Simulates both with each doubt's constant times its factor.
[[nodiscard]] Pair simulate_pair(const Comparison& comparison, const std::vector<Doubt>& doubts,
                                 const std::vector<double>& factors);

// As many as the options say, each with factors of its own: log-normal, of median 1. The same seed
// gives the same pairs, and the first ones of more. `step` is called before each.
[[nodiscard]] std::vector<Pair> simulate_repetitions(const Comparison& comparison,
                                                     const std::vector<Doubt>& doubts,
                                                     const std::function<void()>& step);

}  // namespace apps
