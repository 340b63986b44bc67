// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/performance.hpp"

#include <utility>

#include "apps/search/round_assumptions.hpp"
#include "sim/topology/topology.hpp"

namespace apps {
namespace {

Performance performance(const StepSide& side) {
  const sim::Cluster& cluster = side.job.cluster;
  const double step_s = step_seconds(side.job, side.setup);
  const auto sequences = static_cast<double>(global_batch(cluster, side.setup.parallelism));
  const double tokens_per_s = sequences * static_cast<double>(side.job.model.sequence) / step_s;
  const double usd_per_s = (gpu_price(cluster) + network_price(cluster)).base();
  return {step_s, tokens_per_s, tokens_per_s / usd_per_s};
}

Performance performance(const RoundSide& side) {
  const sim::RoundContext context = side.job.context();
  const sim::Report report = sim::summarize(
      context, side.scheme, sim::simulate_round(context, side.scheme, side.job.deadline));
  return {report.time_s, report.tokens_per_s,
          report.ended() ? 1e6 / report.usd_per_million_tokens : 0};
}

}  // namespace

Performance simulate(const Side& side) {
  return std::visit([](const auto& trained) { return performance(trained); }, side.trained);
}

bool rests_on(const Side& side, const Assumption& assumption) {
  return std::visit([&](const auto& one) { return rests_on(one.job, assumption); }, side.trained);
}

Spread spread_of(const Side& side, const Assumption& assumption) {
  return std::visit([&](const auto& one) { return spread_of(one.job, assumption); }, side.trained);
}

std::string flags_of(const Side& side, const Assumption& assumption) {
  return std::visit([&](const auto& one) { return flags_of(one.job, assumption); }, side.trained);
}

Side scaled(Side side, const Assumption& assumption, double factor) {
  std::visit([&](auto& one) { one.job = scaled(std::move(one.job), assumption, factor); },
             side.trained);
  return side;
}

}  // namespace apps
