// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/renewal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sim {
namespace {

// 1 + W(-exp(-1 - x)) for x >= 0, the root y in [0, 1) of y + log(1 - y) = -x, by Newton's steps from
// Young's y = sqrt(2 x). Near 0, where y + log(1 - y) cancels, its series is exact enough.
double best_share(double x) {
  if (x < 1e-8) return std::sqrt(2 * x) - 2 * x / 3;
  double y = std::min(std::sqrt(2 * x), 1 - std::exp(-1 - x));
  for (int i = 0; i < 100; ++i) {
    // The left side is concave and falls: from the right of its root, steps stay on its right.
    const double next = y + (y + std::log1p(-y) + x) * (1 - y) / y;
    if (!(std::abs(next - y) > 1e-15 * y)) break;
    y = std::clamp(next, y / 2, (1 + y) / 2);
  }
  return y;
}

// Failures per second that is not spent waiting for a repair.
double rate_while_up(const Renewal& job) {
  return job.failure_rate / (1 + job.failure_rate * job.detection_s);
}

// A domain of more nodes than there are spares is waited for on its own. Of a smaller one each node
// counts as if it failed by itself, which is approximate.
double waiting_share(const Renewal& job) {
  if (job.failure_rate <= 0) return 0;
  const double part = rate_while_up(job) / job.failure_rate;
  double load = part * job.hardware_rate * job.repair_s;
  double domains = part * job.domain_rate * job.repair_s;
  if (job.domain_nodes <= job.spares) {
    load += job.domain_nodes * domains;
    domains = 0;
  }
  return 1 - 1 / (1 / (1 - erlang_b(job.spares + 1, load)) + domains);
}

}  // namespace

double young_interval_s(const Renewal& job) {
  return std::sqrt(2 * job.stall_s / job.failure_rate);
}

double daly_interval_s(const Renewal& job) {
  const double mean_s = 1 / job.failure_rate;
  if (!(job.stall_s < 2 * mean_s)) return mean_s;
  const double half = job.stall_s / (2 * mean_s);
  return std::sqrt(2 * job.stall_s * mean_s) * (1 + std::sqrt(half) / 3 + half / 9) - job.stall_s;
}

double best_interval_s(const Renewal& job, double least_s) {
  const double least = std::max(least_s, job.write_s - job.stall_s);
  if (job.failure_rate <= 0) return std::numeric_limits<double>::infinity();
  return std::max(least, best_share(job.failure_rate * job.stall_s) / job.failure_rate);
}

double erlang_b(int servers, double load) {
  double share = 1;
  for (int i = 1; i <= servers; ++i) share = load * share / (i + load * share);
  return share;
}

std::optional<int> enough_spares(Renewal job, double share, int most) {
  const auto suffice = [&](int spares) {
    job.spares = spares;
    return waiting_share(job) <= share;
  };
  // On either side of a domain's size, where the law changes, more spares mean less waiting.
  const int below_domain = std::min(job.domain_nodes - 1, most);
  for (auto [few, enough] : {std::pair{-1, below_domain}, std::pair{below_domain, most}}) {
    if (!suffice(enough)) continue;
    while (enough - few > 1) {
      const int middle = few + (enough - few) / 2;
      (suffice(middle) ? enough : few) = middle;
    }
    return enough;
  }
  return std::nullopt;
}

TimeShares time_shares(const Renewal& job, double interval_s) {
  const double rate = job.failure_rate;
  if (rate <= 0) {
    if (std::isinf(interval_s)) return {.goodput = 1};
    const double length_s = interval_s + job.stall_s;
    return {.goodput = interval_s / length_s, .checkpoints = job.stall_s / length_s};
  }
  const double waiting = waiting_share(job);
  // Of the time that the job does not wait, divided by exp(rate restart) above and below.
  const double up = (1 - waiting) / (1 + rate * job.detection_s);
  const double kept = rate * std::exp(-rate * (job.write_s + job.restart_s)) /
                      std::expm1(rate * (interval_s + job.stall_s));
  TimeShares shares{
      .goodput = up * kept * interval_s,
      .checkpoints = up * kept * job.stall_s,
      .detection = up * rate * job.detection_s,
      .restart = up * -std::expm1(-rate * job.restart_s),
      .repair = waiting,
  };
  shares.recomputed = std::max(0.0, 1 - shares.goodput - shares.checkpoints - shares.detection -
                                        shares.restart - shares.repair);
  return shares;
}

double interruption_rate(const Renewal& job) {
  return (1 - waiting_share(job)) * rate_while_up(job);
}

}  // namespace sim
