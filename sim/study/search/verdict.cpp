// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/verdict.hpp"

#include <cmath>

#include "sim/base/likely.hpp"
#include "sim/study/search/spread.hpp"

namespace sim::study {

double least_win() { return std::exp(kLikelySpreads * ratio_spread().of_logarithm); }

std::optional<Verdict> verdict_of(const Contest& contest) {
  if (!contest.fits && !contest.other_fits) return std::nullopt;
  if (!contest.other_fits) return Verdict::win;
  if (!contest.fits) return Verdict::loss;
  if (std::isnan(contest.speedup)) return std::nullopt;  // neither of them ends
  const LikelyRatio range = contest.range.value_or(
      LikelyRatio{contest.speedup / least_win(), contest.speedup * least_win()});
  if (range.low > 1) return Verdict::win;
  if (range.high < 1) return Verdict::loss;
  return Verdict::tie;
}

}  // namespace sim::study
