// SPDX-License-Identifier: Apache-2.0
// How well a side trains, as it is and with changed assumptions.
#pragma once

#include "apps/compare/sides.hpp"
#include "sim/study/search/assumptions.hpp"

namespace apps {

// Results of a simulation. An aborted round has an infinite time and no tokens.
struct Performance {
  double time_s = 0;  // of a step, or of a round
  double tokens_per_s = 0;
  // At the price of the cluster's GPUs; for several sites including network, leased links and
  // egress.
  double tokens_per_usd = 0;

  // Higher is better.
  [[nodiscard]] double score(Goal goal) const {
    return goal == Goal::cost ? tokens_per_usd : tokens_per_s;
  }
};
[[nodiscard]] Performance simulate(const Side& side);

[[nodiscard]] Side scaled(Side side, const Assumption& assumption, double factor);

}  // namespace apps
