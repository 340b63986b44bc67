// SPDX-License-Identifier: Apache-2.0
// Verdict: whether one setup trains faster than another, as far as predictions can tell. This is the
// only rule for a win: run, map, compare and plan ask it, and plots and report pages show its answers.
#pragma once

#include <optional>

#include "sim/report/report.hpp"

namespace sim::study {

// One setup against another.
struct Contest {
  double speedup = 0;  // over the other one; infinite if only the other one never ends
  // The likely range of the speed-up (range_of_ratio()). Without one, the speed-up is as uncertain as
  // the model itself: the least that any speed-up is.
  std::optional<LikelyRatio> range = {};
  bool fits = true, other_fits = true;  // in the memory of every GPU
};

// A win: the setup fits, and either the other one does not or the whole likely range of the speed-up is
// above 1. A loss is the reverse, and a tie is neither. Nothing if neither of them fits.
//
// The range holds the truth in eight cases of ten (kLikelyShare), so a win is wrong in one of ten. The
// threshold is therefore the half-width of the range, and at least least_win().
[[nodiscard]] std::optional<Verdict> verdict_of(const Contest& contest);

// The smallest speed-up that can win, 1.073: the model's own error (ratio_spread(), 5.5 % over published
// speed-ups) times kLikelySpreads.
[[nodiscard]] double least_win();

}  // namespace sim::study
