// SPDX-License-Identifier: Apache-2.0
#include "sim/base/likely.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace sim {
namespace {

// The spread of the logarithm, to one side of the prediction.
double spread(const Likely& likely, bool below) {
  return std::log(below ? likely.as_is / likely.low : likely.high / likely.as_is) / kLikelySpreads;
}

}  // namespace

double normal_share_below(double spreads) { return cdf(boost::math::normal(), spreads); }

double chance_within(double limit, const Likely& likely) {
  const double off = std::log(limit / likely.as_is);
  if (off == 0) return 0.5;
  const double one = spread(likely, off < 0);
  if (!(one > 0)) return off > 0 ? 1 : 0;
  return normal_share_below(off / one);
}

double limit_kept(double chance, const Likely& likely) {
  const double spreads = quantile(boost::math::normal(), chance);
  return likely.as_is * std::exp(spreads * spread(likely, chance < 0.5));
}

}  // namespace sim
