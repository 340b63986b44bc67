// SPDX-License-Identifier: Apache-2.0
#include "sim/study/compare/comparison.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/base/error.hpp"
#include "sim/study/goodput.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/prices.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/simulation.hpp"
#include "sim/workload/parameters.hpp"

namespace sim::study {

void check(const Comparison& comparison) {
  const Job& a = comparison.a.job;
  const Job& b = comparison.b.job;
  if (total_parameters(a.model) != total_parameters(b.model)) {
    throw InputError(fmt::format("`model`: A trains {} and B {}: their tokens are not comparable",
                                 a.model.name, b.model.name));
  }
  if (comparison.goal == Goal::throughput) return;
  check_price(a, "goal");
  check_price(b, "goal");
}

Performance simulate(const Side& side) {
  const Report report = simulate(side.job, side.setup).report;
  Performance result{report.time_s, report.tokens_per_s,
                     report.ended() ? 1e6 / report.usd_per_million_tokens : 0, report.tokens_per_s};
  result.sensitivity = sensitivity_of(side.job, side.setup, report);
  if (const auto goodput = goodput_of(side.job, side.setup, report)) {
    const double kept = goodput->tokens_per_day / kDay_s / report.tokens_per_s;
    const double nodes = side.job.cluster().nodes;
    result.tokens_per_s *= kept;
    result.tokens_per_usd *= kept * nodes / (nodes + goodput->spares);
  }
  if (const auto months = membership_of(side.job, side.setup, report)) {
    result.tokens_per_s = months->tokens_per_s;
    result.tokens_per_usd = months->tokens_per_s > 0 ? 1e6 / months->usd_per_million_tokens : 0;
  }
  return result;
}

Side scaled(Side side, const Assumption& assumption, double factor) {
  side.job = scaled(std::move(side.job), assumption, factor);
  return side;
}

}  // namespace sim::study
