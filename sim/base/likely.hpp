// SPDX-License-Identifier: Apache-2.0
// Likely ranges: they are meant to hold the truth in eight cases of ten.
#pragma once

namespace sim {

inline constexpr double kLikelyShare = 0.8;
// To either side, in standard deviations: of a normal law, that share lies within.
inline constexpr double kLikelySpreads = 1.281552;

}  // namespace sim
