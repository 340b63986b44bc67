// What a comparison finds: how the sides differ, how sure that is, and what would flip it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/compare/doubts.hpp"

namespace apps {

struct Interval {
  double low = 0, median = 0, high = 0;
};
// The median, and what 95 % of the values lie between.
[[nodiscard]] Interval interval_of(std::vector<double> values);

// A share of `of` trials with its 95 % interval, as far as so few trials tell (Wilson, J. Am. Stat.
// Assoc. 22, 1927).
struct Probability {
  double value = 0, low = 0, high = 0;
};
[[nodiscard]] Probability probability_of(double successes, int of);

// Where a change of one assumption alone turns the decision, as near to what it is as any.
struct Flip {
  double factor = 1;
  double spreads = 0;            // how many of its spreads that is; infinite where it has none
  std::string flags_a, flags_b;  // of run, that make the change; empty where no flag does
};

struct DoubtFinding {
  Doubt doubt;
  std::optional<Flip> flip;  // nothing: the decision stands within kMostDoubted
};

struct SideFinding {
  Performance as_is;  // as run says
  Interval repeated;  // tokens per second, or per dollar
};

struct Findings {
  SideFinding a, b;
  double ratio = 0;         // A's score over B's, as run says
  Interval repeated;        // of that ratio, pair by pair; infinite where only B's round is aborted
  Probability a_is_better;  // a tie is half a win
  int ties = 0;
  std::vector<DoubtFinding> doubts;  // those that flip first, by how few spreads it takes
};

// The factors over which a flip is searched: 16 times as much, and as little.
inline constexpr double kMostDoubted = 16;

// Of a comparison that is prepared.
[[nodiscard]] Findings compare(const Comparison& comparison, const std::vector<Doubt>& doubts);

}  // namespace apps
