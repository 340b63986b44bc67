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
  const double side = spreads > 0 ? kFasterSpread : 1;
  const double spread = side * efficiency_spread(cluster).of_logarithm;
  const double most = calibration.published ? kMostEfficiency : std::max(1.0, now);
  cluster.fitted.compute_efficiency = std::min(most, now * std::exp(spreads * spread));
}

double widest(const Job& job, bool (*is_of_group)(const Assumption&),
              Towards side = Towards::faster) {
  double widest = 0;
  for (const Assumption& one : assumptions()) {
    const bool is_rate = one.more_is_faster || is_of_codecs(one);
    if (!is_of_group(one) || !is_rate || !rests_on(job, one)) continue;
    widest = std::max(widest, spread_of(job, one).towards(side));
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

// What waits for messages between nodes.
double exposed_between_nodes_s(const Report& report) {
  double seconds = 0;
  for (const auto& [phase, exposed_s] : report.time.exposed_by_phase_s) {
    const auto wire = report.step->wire_by_phase.find(phase);
    if (wire != report.step->wire_by_phase.end() && wire->second.inter_node > 0) {
      seconds += exposed_s;
    }
  }
  return seconds;
}

// The busiest link between nodes.
double busy_between_nodes(const Report& report) {
  for (const LinkUse& link : report.busiest_links) {
    if (link.set_by.starts_with("network.")) return link.busy;
  }
  return 0;
}

// By how much the time's logarithm grows for each of kLikelySpreads when NICs are slow by as many of their
// spreads. That is far: what waits for them takes so many times as long, and no step is shorter than they are
// busy.
double slow_nics(const Job& job, const Report& report) {
  if (!report.step) return 0;
  const auto nics =
      std::ranges::find(assumptions(), Constant::nic_bandwidth, &Assumption::constant);
  const double times = std::exp(kLikelySpreads * spread_of(job, *nics).towards(Towards::slower));
  const double busy = busy_between_nodes(report);
  const double waits = std::min(exposed_between_nodes_s(report) / report.time_s, busy);
  return std::log(std::max(1 + waits * (times - 1), busy * times)) / kLikelySpreads;
}

}  // namespace

Job off_by(Job job, const Off& off) {
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    move_efficiency(job.topology.sites[table].cluster, job.calibrations[table], off.compute);
  }
  for (const Assumption& one : assumptions()) {
    const double spreads = is_of_network(one) ? off.network : is_of_codecs(one) ? off.codecs : 0;
    if (spreads == 0 || !rests_on(job, one)) continue;
    const Spread spread = spread_of(job, one);
    const double faster = spreads * spread.towards(spreads < 0 ? Towards::slower : Towards::faster);
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

double speed_spread_of(const Job& job, Towards network) {
  return std::hypot(widest_efficiency(job), widest(job, is_of_network, network));
}

Sensitivity sensitivity_of(const Job& job, const Setup& setup, const Report& report) {
  if (!report.ended()) return {};
  const Off shares = shares_of(report);
  const double host = host_spread(job, setup);
  const double network = shares.network * widest(job, is_of_network);
  return {.compute = shares.compute * widest_efficiency(job),
          .network = network,
          .codecs = shares.codecs * widest(job, is_of_codecs),
          .slower_host = host_effect(report, host, -1),
          .faster_host = host_effect(report, host, 1),
          .slower_network = std::max(network, slow_nics(job, report))};
}

namespace {

struct Moved {
  double slower = 0, faster = 0;  // of a setup's time, by a group of constants
};
struct Ends {
  double low = 0, high = 0;
};

// By how much a ratio of speeds falls and rises. What is slower for both, or faster, moves it by how much
// more it moves the one.
Ends ends_of_ratio(const Moved& one, const Moved& other, bool is_shared) {
  if (!is_shared) {
    return {.low = std::hypot(one.slower, other.faster),
            .high = std::hypot(one.faster, other.slower)};
  }
  const double slower = one.slower - other.slower, faster = one.faster - other.faster;
  return {.low = std::max({0.0, slower, -faster}), .high = std::max({0.0, faster, -slower})};
}

}  // namespace

LikelyRatio range_of_ratio(double ratio, const Sensitivity& one, const Sensitivity& other,
                           const SharedErrors& shared) {
  const auto apart = [](double a, double b, bool is_shared) {
    return is_shared ? a - b : std::hypot(a, b);
  };
  const double alike =
      std::hypot(apart(one.compute, other.compute, shared.gpus),
                 apart(one.codecs, other.codecs, shared.gpus), ratio_spread().of_logarithm);
  const Ends host = ends_of_ratio({.slower = one.slower_host, .faster = one.faster_host},
                                  {.slower = other.slower_host, .faster = other.faster_host}, true);
  const Ends network =
      ends_of_ratio({.slower = one.slower_network, .faster = one.network},
                    {.slower = other.slower_network, .faster = other.network}, shared.network);
  const auto off = [&](double of_host, double of_network) {
    return std::exp(kLikelySpreads * std::hypot(alike, of_host, of_network));
  };
  return {.low = ratio / off(host.low, network.low), .high = ratio * off(host.high, network.high)};
}

std::optional<LikelyRatio> range_of_ratio(double ratio, const std::optional<Sensitivity>& one,
                                          const std::optional<Sensitivity>& other) {
  if (!one || !other) return std::nullopt;
  return range_of_ratio(ratio, *one, *other);
}

}  // namespace sim::study
