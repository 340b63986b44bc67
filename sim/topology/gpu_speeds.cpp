// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/gpu_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "sim/topology/topology.hpp"

namespace sim {
namespace {

// Where a normal distribution's function is `share`, by bisection.
double normal_quantile(double share) {
  double low = -10, high = 10;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < share ? low : high) = middle;
  }
  return low;
}

// Of the GPU at this place of a sample, slowest first.
double slowdown_at(const Cluster& cluster, std::int64_t place, int count) {
  const double quantile =
      normal_quantile((static_cast<double>(place) + 1 - 0.375) / (count + 0.25));
  return 1 / std::max(0.1, 1 + cluster.speed_spread * quantile);
}

// A step that visits all of `count` places and keeps neighbours far apart: the golden ratio's.
int stride_over(int count) {
  int stride = std::max(1, static_cast<int>(std::lround(count * (std::numbers::phi - 1))));
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

}  // namespace

double slowest_of(const Cluster& cluster, int count) {
  if (cluster.speed_spread <= 0) return 1;
  return slowdown_at(cluster, 0, count);
}

double slowdown_of_step(const Cluster& cluster, const Turns& turns) {
  const double fill = turns.stages - 1;
  const double slowest = slowest_of(cluster, rank_count(cluster));
  return (turns.blocks * slowest + fill * slowest_of(cluster, turns.tensor)) /
         (turns.blocks + fill);
}

std::vector<double> rank_slowdowns(const Cluster& cluster) {
  const int count = rank_count(cluster);
  std::vector<double> slowdowns(static_cast<std::size_t>(count), 1.0);
  if (cluster.speed_spread <= 0) return slowdowns;
  const int stride = stride_over(count);
  std::int64_t place = 0;
  for (double& slowdown : slowdowns) {
    slowdown = slowdown_at(cluster, place, count);
    place = (place + stride) % count;
  }
  return slowdowns;
}

}  // namespace sim
