// SPDX-License-Identifier: Apache-2.0
// Likely ranges: they are meant to hold the truth in eight cases of ten.
#pragma once

namespace sim {

inline constexpr double kLikelyShare = 0.8;
// To either side, in standard deviations: of a normal law, that share lies within.
inline constexpr double kLikelySpreads = 1.281552;

// Of a normal law, so many standard deviations above its mean.
[[nodiscard]] double normal_share_below(double spreads);

// A predicted time or price and its likely range; all above 0.
struct Likely {
  double low = 0, as_is = 0, high = 0;
};

// Of how fast GPUs compute: the spread towards faster, as a share of that towards slower. Nothing runs much faster
// than the best software known does, but much can make it slower. Chosen after seeing how often the ranges of
// `validate blind` hold: each of its sources left out, the others give 0.5 to 0.7.
inline constexpr double kFasterSpread = 0.6;

// The probability that the true time or price is at most `limit`: log-normal on either side of the prediction, which
// is the median, with a spread of its own.
[[nodiscard]] double chance_within(double limit, const Likely& likely);
// The least limit that is kept with this probability, between 0 and 1.
[[nodiscard]] double limit_kept(double chance, const Likely& likely);

}  // namespace sim
