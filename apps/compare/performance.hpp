// How well a side trains, as it is and with what it rests on changed.
#pragma once

#include <string>

#include "apps/compare/sides.hpp"
#include "apps/search/assumptions.hpp"

namespace apps {

// Of a simulation. A round that is aborted has an infinite time, and no tokens.
struct Performance {
  double time_s = 0;  // of a step, or of a round
  double tokens_per_s = 0;
  // At the price of the cluster's GPUs; of several sites with network, leased links and egress.
  double tokens_per_usd = 0;

  // The more the better.
  [[nodiscard]] double score(Goal goal) const {
    return goal == Goal::cost ? tokens_per_usd : tokens_per_s;
  }
};
[[nodiscard]] Performance simulate(const Side& side);

// As of a Job, and of a RoundJob (apps/search/round_assumptions.hpp).
[[nodiscard]] bool rests_on(const Side& side, const Assumption& assumption);
[[nodiscard]] Spread spread_of(const Side& side, const Assumption& assumption);
[[nodiscard]] std::string flags_of(const Side& side, const Assumption& assumption);
[[nodiscard]] Side scaled(Side side, const Assumption& assumption, double factor);

}  // namespace apps
