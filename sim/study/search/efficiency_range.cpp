// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/efficiency_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "sim/base/parallel.hpp"
#include "sim/study/simulation.hpp"

namespace sim::study {
namespace {

void move(Cluster& cluster, const Calibration& calibration, double spreads) {
  const double spread = efficiency_spread(cluster, calibration).of_logarithm;
  cluster.fitted.compute_efficiency =
      std::min(calibration.published ? kMostEfficiency : 1.0,
               compute_efficiency(cluster) * std::exp(spreads * spread));
}

constexpr std::array kSpreads{-1.0, 1.0};

EfficiencyRange range_of_rounds(const Job& job, const Setup& setup, int jobs) {
  const auto ends = in_parallel(jobs, kSpreads.size(), [&](std::size_t i) {
    return simulate(off_by(job, kSpreads[i]), setup).report;
  });
  const Report& low = ends.front();
  const Report& high = ends.back();
  return {.tokens_per_s_low = low.tokens_per_s,
          .tokens_per_s_high = high.tokens_per_s,
          .usd_per_million_tokens_low = high.usd_per_million_tokens,
          .usd_per_million_tokens_high = low.usd_per_million_tokens};
}

}  // namespace

Spread efficiency_spread(const Cluster& cluster, const Calibration& calibration) {
  const Fitted& fitted = cluster.fitted;
  if (fitted.compute_efficiency && fitted.rests_on_rows("compute_efficiency")) {
    return {0.05, "error of predicted throughputs on the rows of the fit (validate)"};
  }
  if (!fitted.compute_efficiency && measured_products(calibration, cluster.gpu)) {
    return {0.1, "a judgement: products measured on this GPU, other kernels not"};
  }
  if (!fitted.compute_efficiency && cluster.default_efficiency) {
    return {cluster.default_efficiency->spread, cluster.default_efficiency->source};
  }
  return {0.2, "compute efficiencies that validate fits, 0.40 to 0.76"};
}

Job off_by(Job job, double spreads) {
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    move(job.topology.sites[table].cluster, job.calibrations[table], spreads);
  }
  return job;
}

EfficiencyRange range_of(const Job& job, const Setup& setup, const Report& report, int jobs) {
  if (job.inner) return range_of_rounds(job, setup, jobs);
  const auto speeds = in_parallel(jobs, kSpreads.size(), [&](std::size_t i) {
    return report.time_s / seconds_of(off_by(job, kSpreads[i]), setup);
  });
  const auto [slow, fast] = std::minmax({1.0, speeds.front(), speeds.back()});
  return {.tokens_per_s_low = report.tokens_per_s * slow,
          .tokens_per_s_high = report.tokens_per_s * fast,
          .usd_per_million_tokens_low = report.usd_per_million_tokens / fast,
          .usd_per_million_tokens_high = report.usd_per_million_tokens / slow};
}

}  // namespace sim::study
