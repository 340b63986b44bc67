// SPDX-License-Identifier: Apache-2.0
// How long a step or a round takes with its constants off, all at a time: drawn from their spreads, with
// the time between simulated points interpolated.
#pragma once

#include <array>
#include <numbers>
#include <utility>
#include <vector>

#include "sim/base/likely.hpp"

namespace sim::study {

// By how many of its spreads each group of constants is off; positive is faster.
struct Off {
  double compute = 0;
  double network = 0;  // links, and the network between sites
  double codecs = 0;
  double host = 0;
};

// Independent normal draws of standard deviation 1, the same in every call: a Kronecker sequence, whose
// points fill the space more evenly than random ones.
[[nodiscard]] std::vector<Off> drawn_offs(int count);

// GPUs and network off together, and against each other. A step in which one hides the other is no
// product of what each does to it: it takes the longer of two times.
inline constexpr double kFar = kLikelySpreads / std::numbers::sqrt2;
inline constexpr std::array<Off, 4> kSimulatedOffs{
    Off{.compute = -kFar, .network = -kFar}, Off{.compute = kFar, .network = kFar},
    Off{.compute = -kFar, .network = kFar}, Off{.compute = kFar, .network = -kFar}};

// All times are relative to that of the unchanged constants.
struct TimeWhenOff {
  std::array<double, kSimulatedOffs.size()> simulated;  // infinite where nothing ends
  double codecs = 0, codecs_spread = 0;
  // Waiting for the host; and what it takes to issue all kernels, which no step is shorter than.
  double host = 0, host_issue = 0, host_spread = 0;

  [[nodiscard]] double at(const Off& off) const;
};

// The shortest and the longest of the middle kLikelyShare of the drawn times.
[[nodiscard]] std::pair<double, double> likely_times(const TimeWhenOff& time);

}  // namespace sim::study
