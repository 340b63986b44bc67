// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/goodput.hpp"

#include <algorithm>
#include <cmath>

namespace sim {
namespace {

constexpr double kMonth_s = 30 * kDay_s;

// The end of a range of value, if two independent errors would move it to `one` and `other`.
double combined(double value, double one, double other, double sign) {
  if (!(value > 0)) return value;
  return value * std::exp(sign * std::hypot(std::log(one / value), std::log(other / value)));
}

void add_interval(const Reliability& reliability, const SteadyJob& job, const Renewal& renewal,
                  GoodputFigures& figures) {
  figures.young_s = young_interval_s(renewal);
  figures.daly_s = daly_interval_s(renewal);
  if (reliability.recovery.from == RecoverFrom::replica) {
    figures.interval_s = job.step_s;  // what is trained again: the step that was under way
    return;
  }
  const auto& given = reliability.checkpoint.interval;
  figures.is_best = !given;
  figures.interval_s = given ? std::max({given->base(), job.step_s, renewal.write_s})
                             : best_interval_s(renewal, job.step_s);
}

// Of tokens per day, with the goodput's range and that of the speed.
void add_speed(const Reliability& reliability, const SteadyJob& job, GoodputFigures& figures) {
  const auto& limit = reliability.loading.node_tokens_per_s;
  const double most = limit ? *limit * job.cluster.nodes : job.tokens_per_s;
  figures.bound_by_loading = most < job.tokens_per_s;
  const auto loaded = [&](double speed) { return limit ? std::min(speed, most) : speed; };
  figures.tokens_per_s = loaded(job.tokens_per_s);
  const bool ranged = job.tokens_per_s_low > 0;
  const double low = ranged ? loaded(job.tokens_per_s_low) : figures.tokens_per_s;
  const double high = ranged ? loaded(job.tokens_per_s_high) : figures.tokens_per_s;
  const double goodput = figures.shares.goodput;
  const double per_day = figures.tokens_per_s * goodput * kDay_s;
  figures.tokens_per_day = per_day;
  figures.tokens_per_day_low = combined(per_day, per_day * low / figures.tokens_per_s,
                                        per_day * figures.goodput_low / goodput, -1);
  figures.tokens_per_day_high = combined(per_day, per_day * high / figures.tokens_per_s,
                                         per_day * figures.goodput_high / goodput, 1);
}

void add_counts(const Reliability& reliability, const Renewal& renewal, GoodputFigures& figures) {
  const double spread = reliability.failures.spread;
  figures.interruptions = interruption_rate(renewal) * figures.span_s;
  const CountRange range = likely_count(figures.interruptions, spread);
  figures.interruptions_low = range.low;
  figures.interruptions_high = range.high;
  const LikelyShare goodput = likely_goodput(renewal, figures.interval_s, spread, figures.span_s);
  figures.goodput_low = goodput.low;
  figures.goodput_high = goodput.high;
}

TokenTarget target_of(const SteadyJob& job, double tokens, const GoodputFigures& figures) {
  const double nodes = job.cluster.nodes;
  const double usd_per_day = (gpu_price(job.cluster) + network_price(job.cluster)).base() * kDay_s *
                             (nodes + figures.spares) / nodes;
  TokenTarget target{.tokens = tokens,
                     .days = tokens / figures.tokens_per_day,
                     .days_low = tokens / figures.tokens_per_day_high,
                     .days_high = tokens / figures.tokens_per_day_low};
  target.usd = target.days * usd_per_day;
  target.usd_low = target.days_low * usd_per_day;
  target.usd_high = target.days_high * usd_per_day;
  return target;
}

}  // namespace

GoodputFigures goodput_of(const Reliability& reliability, const SteadyJob& job,
                          std::optional<double> target_tokens) {
  GoodputFigures figures{.reliability = reliability.name,
                         .failures = failure_rates(reliability.failures, job.cluster),
                         .checkpoint = checkpoint_times(reliability, job)};
  const Renewal renewal = renewal_of(reliability, figures.failures, figures.checkpoint);
  figures.spares = renewal.spares;
  add_interval(reliability, job, renewal, figures);
  figures.shares = time_shares(renewal, figures.interval_s);
  figures.goodput_low = figures.goodput_high = figures.shares.goodput;
  figures.span_s = kMonth_s;
  if (target_tokens) {
    add_speed(reliability, job, figures);
    figures.span_s = *target_tokens / figures.tokens_per_day * kDay_s;
  }
  add_counts(reliability, renewal, figures);
  add_speed(reliability, job, figures);
  if (target_tokens) figures.target = target_of(job, *target_tokens, figures);
  return figures;
}

}  // namespace sim
