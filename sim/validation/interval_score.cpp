// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/interval_score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "sim/base/likely.hpp"

namespace sim::validation {
namespace {

using Value = std::function<double(const RangedPrediction&)>;

double mean_over_folds(std::span<const RangedPrediction> all, const Value& value) {
  std::map<std::string, std::pair<double, int>> folds;
  for (const RangedPrediction& one : all) {
    auto& [sum, count] = folds[one.fold];
    sum += value(one);
    ++count;
  }
  double sum = 0;
  for (const auto& [fold, of_fold] : folds) sum += of_fold.first / of_fold.second;
  return sum / static_cast<double>(folds.size());
}

}  // namespace

double interval_score(const RangedPrediction& one) {
  constexpr double kMiss = 2 / (1 - kLikelyShare);
  const double below = std::max(0.0, std::log(one.low / one.measured));
  const double above = std::max(0.0, std::log(one.measured / one.high));
  return std::log(one.high / one.low) + kMiss * (below + above);
}

IntervalScores interval_scores(std::span<const RangedPrediction> all) {
  IntervalScores scores{
      .score = mean_over_folds(all, interval_score),
      .coverage =
          mean_over_folds(all, [](const RangedPrediction& one) { return one.is_inside() ? 1 : 0; }),
  };
  const auto of_constant = [&](double factor) {
    return mean_over_folds(all, [&](RangedPrediction one) {
      one.low = one.predicted / factor;
      one.high = one.predicted * factor;
      return interval_score(one);
    });
  };
  // Linear between errors that occur, so that the best is one of them.
  scores.constant_score = of_constant(1);
  for (const RangedPrediction& one : all) {
    const double factor = std::exp(std::abs(std::log(one.measured / one.predicted)));
    if (const double score = of_constant(factor); score < scores.constant_score) {
      scores.constant_score = score;
      scores.constant_factor = factor;
    }
  }
  return scores;
}

}  // namespace sim::validation
