// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/likely_range.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "sim/base/parallel.hpp"
#include "sim/study/search/assumptions.hpp"
#include "sim/study/simulation.hpp"

namespace sim::study {
namespace {

bool is_of_network(const Assumption& one) {
  return one.concern == Concern::links || one.concern == Concern::wide_area;
}
bool is_of_codecs(const Assumption& one) { return one.constant == Constant::codec_time; }

// The logarithm of the efficiency is off by so much; at most the whole roofline, unless a fit says so,
// or twice the rate of published kernels.
void move_efficiency(Cluster& cluster, const Calibration& calibration, double spreads) {
  const double now = compute_efficiency(cluster);
  const double spread = efficiency_spread(cluster).of_logarithm;
  const double most = calibration.published ? kMostEfficiency : std::max(1.0, now);
  cluster.fitted.compute_efficiency = std::min(most, now * std::exp(spreads * spread));
}

double widest(const Job& job, bool (*is_of_group)(const Assumption&)) {
  double widest = 0;
  for (const Assumption& one : assumptions()) {
    const bool is_rate = one.more_is_faster || is_of_codecs(one);
    if (!is_of_group(one) || !is_rate || !rests_on(job, one)) continue;
    widest = std::max(widest, spread_of(job, one).of_logarithm);
  }
  return widest;
}

double widest_efficiency(const Job& job) {
  double widest = 0;
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    const Cluster& cluster = job.topology.sites[table].cluster;
    widest = std::max(widest, efficiency_spread(cluster).of_logarithm);
  }
  return widest;
}

// Of the time, by group. What the network nearly bounds counts, though nothing waits for it yet.
Off shares_of(const Report& report) {
  const double busy = report.busiest_links.empty() ? 0 : report.busiest_links.front().busy;
  const double exposed = report.time.exposed_comm_s / report.time_s;
  const double codecs = report.time.codec_s / report.time_s;
  return {.compute = std::max(0.0, 1 - exposed - codecs),
          .network = std::max(exposed, busy),
          .codecs = codecs};
}

// Spread of the host's time to issue a kernel; 0 where it is ideal or given.
double host_spread(const Job& job, const Setup& setup) {
  if (job.inner) return 0;
  const auto host = host_of(job.calibration().hosts, setup.parallelism.kernels);
  return host ? host->spread : 0;
}

// By how much the answer's logarithm is off when the host is off by its spread, at the end where
// `sign` is 1 for a faster one. A host that is ahead costs nothing until it would take longer than the
// step.
double host_effect(const Report& report, double spread, double sign) {
  const double far = kLikelySpreads * spread;
  if (far == 0 || report.host_issue_s == 0) return 0;
  const double slower = std::log(report.host_issue_s * std::exp(far) / report.time_s);
  const double waits = report.time.host_s / report.time_s;
  const double moved = sign > 0 ? -std::log(1 - waits * (1 - std::exp(-far)))
                                : std::max(slower, std::log(1 + waits * (std::exp(far) - 1)));
  return std::max(0.0, moved) / kLikelySpreads;
}

// Of rounds whose constants change how many tokens they keep, the time per token.
double time_per_token(const Job& job, const Setup& setup, const Report& unchanged) {
  if (!job.inner) return seconds_of(job, setup) / unchanged.time_s;
  return unchanged.tokens_per_s / simulate(job, setup).report.tokens_per_s;
}

// With the constants off. Rents are paid for the time, egress for the bytes.
double price_at(const Report& report, double tokens_per_s) {
  const double of_egress = report.round ? report.round->egress_usd / report.round->tokens * 1e6 : 0;
  const double of_time = report.usd_per_million_tokens - of_egress;
  return of_egress + of_time * (report.tokens_per_s / tokens_per_s);
}

}  // namespace

Job off_by(Job job, const Off& off) {
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    move_efficiency(job.topology.sites[table].cluster, job.calibrations[table], off.compute);
  }
  for (const Assumption& one : assumptions()) {
    const double spreads = is_of_network(one) ? off.network : is_of_codecs(one) ? off.codecs : 0;
    if (spreads == 0 || !rests_on(job, one)) continue;
    const double faster = spreads * spread_of(job, one).of_logarithm;
    job = scaled(std::move(job), one, std::exp(one.more_is_faster ? faster : -faster));
  }
  return job;
}

LikelyRange range_of(const Job& job, const Setup& setup, const Report& report, int jobs) {
  if (!(report.tokens_per_s > 0)) return {};
  const auto simulated = in_parallel(jobs, kSimulatedOffs.size(), [&](std::size_t i) {
    return time_per_token(off_by(job, kSimulatedOffs[i]), setup, report);
  });
  TimeWhenOff time{.codecs = report.time.codec_s / report.time_s,
                   .codecs_spread = widest(job, is_of_codecs),
                   .host = report.time.host_s / report.time_s,
                   .host_issue = report.host_issue_s / report.time_s,
                   .host_spread = host_spread(job, setup)};
  std::ranges::copy(simulated, time.simulated.begin());
  const auto [shortest, longest] = likely_times(time);
  const double low = report.tokens_per_s / std::max(1.0, longest);
  const double high = report.tokens_per_s / std::min(1.0, shortest);
  return {.tokens_per_s_low = low,
          .tokens_per_s_high = high,
          .usd_per_million_tokens_low = price_at(report, high),
          .usd_per_million_tokens_high = price_at(report, low)};
}

double speed_spread_of(const Job& job) {
  return std::hypot(widest_efficiency(job), widest(job, is_of_network));
}

Sensitivity sensitivity_of(const Job& job, const Setup& setup, const Report& report) {
  if (!report.ended()) return {};
  const Off shares = shares_of(report);
  const double host = host_spread(job, setup);
  return {.compute = shares.compute * widest_efficiency(job),
          .network = shares.network * widest(job, is_of_network),
          .codecs = shares.codecs * widest(job, is_of_codecs),
          .slower_host = host_effect(report, host, -1),
          .faster_host = host_effect(report, host, 1)};
}

LikelyRatio range_of_ratio(double ratio, const Sensitivity& one, const Sensitivity& other,
                           const SharedErrors& shared) {
  const auto apart = [](double a, double b, bool is_shared) {
    return is_shared ? a - b : std::hypot(a, b);
  };
  const double of_constants = std::hypot(apart(one.compute, other.compute, shared.gpus),
                                         apart(one.network, other.network, shared.network),
                                         apart(one.codecs, other.codecs, shared.gpus));
  // A host that is slower for both, or faster, moves the ratio by how much more it moves the one.
  const double slower = one.slower_host - other.slower_host;
  const double faster = one.faster_host - other.faster_host;
  const auto end = [&](double of_host) {
    const double rest = std::hypot(of_constants, ratio_spread().of_logarithm);
    return std::exp(kLikelySpreads * std::hypot(rest, std::max(0.0, of_host)));
  };
  return {.low = ratio / end(std::max(slower, -faster)),
          .high = ratio * end(std::max(faster, -slower))};
}

std::optional<LikelyRatio> range_of_ratio(double ratio, const std::optional<Sensitivity>& one,
                                          const std::optional<Sensitivity>& other) {
  if (!one || !other) return std::nullopt;
  return range_of_ratio(ratio, *one, *other);
}

}  // namespace sim::study
