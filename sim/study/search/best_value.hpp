// SPDX-License-Identifier: Apache-2.0
// Searches for the value that trains best.
#pragma once

#include <functional>

#include "sim/study/search/bracket.hpp"

namespace sim::study {

struct BestValue {
  double value = 0;
  double score = 0;
};

// Scores that differ by less than this share of the best one are about as good.
inline constexpr double kAsGood = 1e-3;

// Of the values about as good as the best, next to it, the greatest or the least. Tries values all over
// the range, then those around the best of them, so it assumes that the score has no summit narrower
// than a few per cent of the value. `step` is called before each try. The result is within 1 %, or the
// very one of whole numbers.
[[nodiscard]] BestValue best_value(const Range& range, bool greatest,
                                   const std::function<double(double)>& score,
                                   const std::function<void()>& step);
// About the most tries it takes.
[[nodiscard]] int most_best_tries(const Range& range);

}  // namespace sim::study
