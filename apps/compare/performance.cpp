// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/performance.hpp"

#include <utility>

#include "apps/job/simulation.hpp"

namespace apps {
Performance simulate(const Side& side) {
  const Job& job = side.job;
  if (job.inner) {
    const sim::Report report = simulate(job, side.setup).report;
    return {report.time_s, report.tokens_per_s,
            report.ended() ? 1e6 / report.usd_per_million_tokens : 0};
  }
  const double step_s = seconds_of(job, side.setup);
  const double tokens_per_s =
      static_cast<double>(side.global_batch() * job.model.sequence) / step_s;
  const double usd_per_s = (gpu_price(job.cluster()) + network_price(job.cluster())).base();
  return {step_s, tokens_per_s, tokens_per_s / usd_per_s};
}

Side scaled(Side side, const Assumption& assumption, double factor) {
  side.job = scaled(std::move(side.job), assumption, factor);
  return side;
}

}  // namespace apps
