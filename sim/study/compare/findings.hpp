// SPDX-License-Identifier: Apache-2.0
// Findings of a comparison: how the sides differ, how certain that is, and what would flip it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/study/compare/doubts.hpp"
#include "sim/study/watch.hpp"

namespace sim::study {

struct Interval {
  double low = 0, median = 0, high = 0;
};
// The median, and the interval of 80 % of the values, as of likely ranges.
[[nodiscard]] Interval interval_of(std::vector<double> values);

// A share of `of` trials with its 95 % interval, for few trials (Wilson, J. Am. Stat. Assoc. 22,
// 1927).
struct Probability {
  double value = 0, low = 0, high = 0;
};
[[nodiscard]] Probability probability_of(double successes, int of);

// Where a change of one assumption alone turns the decision, as close as possible to its current
// value.
struct Flip {
  double factor = 1;
  double spreads = 0;              // the change in its spreads; infinite without a spread
  std::string fields_a, fields_b;  // fields of a job that make the change; empty if there are none
};

struct DoubtFinding {
  Doubt doubt;
  std::optional<Flip> flip;  // nothing: the decision stands within kMostDoubted
};

struct SideFinding {
  Performance as_is;       // as run reports it
  Interval repeated;       // tokens per second, or per dollar
  int without_tokens = 0;  // repetitions in which no round completes
};

struct Findings {
  SideFinding a, b;
  double ratio = 0;         // A's score over B's, as run reports them
  double steady_ratio = 0;  // of tokens per second, if nothing failed and no site left
  // Of that ratio: as run gives it, whatever the seed and the number of repetitions; that of the
  // repetitions if spreads are given, or if a side completes no round in some of them.
  LikelyRatio range;
  Interval repeated;        // of that ratio, pair by pair; infinite if only B completes no round
  Probability a_is_better;  // a tie is half a win
  int ties = 0;
  std::vector<DoubtFinding> doubts;  // flips first, by the number of spreads they take
};

// The range of factors searched for a flip: up to 16 times as much or as little.
inline constexpr double kMostDoubted = 16;

// All but the flips. `step` is called before each repetition.
[[nodiscard]] Findings compare(
    const Comparison& comparison, const std::vector<Doubt>& doubts,
    const std::function<void()>& step = [] {});
// Adds them, and sorts the doubts.
void find_flips(const Comparison& comparison, Findings& findings, const Watch& watch = {});

}  // namespace sim::study
