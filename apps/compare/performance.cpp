// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/performance.hpp"

#include <utility>

#include "sim/study/simulation.hpp"

namespace apps {

Performance simulate(const Side& side) {
  const sim::Report report = simulate(side.job, side.setup).report;
  return {report.time_s, report.tokens_per_s,
          report.ended() ? 1e6 / report.usd_per_million_tokens : 0};
}

Side scaled(Side side, const Assumption& assumption, double factor) {
  side.job = scaled(std::move(side.job), assumption, factor);
  return side;
}

}  // namespace apps
