// SPDX-License-Identifier: Apache-2.0
// How good likely ranges are: the interval score (Gneiting and Raftery, "Strictly Proper Scoring Rules,
// Prediction, and Estimation", JASA 102, 2007, eq. 43), on logarithms. A range pays its width, and for a
// measured value beyond it 2 / (1 - kLikelyShare) times the distance; less is better. The true 80 % range has the
// least expected score.
#pragma once

#include <span>
#include <string>

namespace sim::validation {

struct RangedPrediction {
  std::string fold;                                       // its source: each has the same weight
  double low = 0, predicted = 0, high = 0, measured = 0;  // all above 0
  [[nodiscard]] bool is_inside() const { return low <= measured && measured <= high; }
};

[[nodiscard]] double interval_score(const RangedPrediction& one);

// Of several, the mean over folds of their means.
struct IntervalScores {
  double score = 0, coverage = 0;
  // Of ranges from predicted / x to predicted * x, with the x that scores best on these very rows.
  double constant_score = 0, constant_factor = 1;
};
// At least one.
[[nodiscard]] IntervalScores interval_scores(std::span<const RangedPrediction> all);

}  // namespace sim::validation
