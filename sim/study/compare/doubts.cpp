// SPDX-License-Identifier: Apache-2.0
#include "sim/study/compare/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"

namespace sim::study {
namespace {

using Names = std::set<std::string>;

// Of one cluster's GPU and calibration, or of all sites'.
struct Parts {
  Names gpus, clusters;

  void add(const Cluster& cluster, const Calibration& calibration) {
    gpus.insert(cluster.gpu.name + " by " + calibration.name);
    clusters.insert(cluster.name);
  }
};

Parts parts_of(const Side& side) {
  Parts parts;
  const auto& sites = side.job.topology.sites;
  for (std::size_t table = 0; table < sites.size(); ++table) {
    parts.add(sites[table].cluster, side.job.calibrations[table]);
  }
  return parts;
}

bool is_shared(Concern concern, const Side& a, const Side& b) {
  switch (concern) {
    case Concern::gpu:
      return parts_of(a).gpus == parts_of(b).gpus;
    case Concern::links:
      return parts_of(a).clusters == parts_of(b).clusters;
    case Concern::library:
      return true;
    case Concern::wide_area:
      return a.job.topology.name == b.job.topology.name;
  }
  return false;
}

const Spread& wider(const Spread& one, const Spread& other) {
  return one.towards(Towards::slower) < other.towards(Towards::slower) ? other : one;
}

Side doubted(const Side& side, bool is_a, const std::vector<Doubt>& doubts,
             const std::vector<double>& factors, const std::shared_ptr<InnerSteps>& inner_steps) {
  Side result = side;
  result.job.inner_steps = inner_steps;
  for (std::size_t i = 0; i < doubts.size(); ++i) {
    const bool concerned = is_a ? doubts[i].of_a : doubts[i].of_b;
    if (concerned && !doubts[i].is_of_model())
      result = scaled(std::move(result), *doubts[i].assumption, factors[i]);
  }
  return result;
}

}  // namespace

std::vector<Doubt> doubts_of(const Side& a, const Side& b, std::span<const GivenSpread> spreads) {
  std::vector<Doubt> doubts;
  for (const Assumption& one : assumptions()) {
    const bool of_a = rests_on(a.job, one);
    const bool of_b = rests_on(b.job, one);
    if (of_a && of_b && is_shared(one.concern, a, b)) {
      doubts.push_back({&one, true, true, wider(spread_of(a.job, one), spread_of(b.job, one))});
      continue;
    }
    if (of_a) doubts.push_back({&one, true, false, spread_of(a.job, one)});
    if (of_b) doubts.push_back({&one, false, true, spread_of(b.job, one)});
  }
  doubts.push_back({&kModel, true, true, ratio_spread()});
  for (const GivenSpread& given : spreads) {
    bool any = false;
    for (Doubt& doubt : doubts) {
      if (given.name != "all" && given.name != doubt.assumption->name) continue;
      doubt.spread = given.spread;
      any = true;
    }
    if (!any) {
      throw InputError(
          fmt::format("`spread`: neither side has {}; it applies between sites, to storage or to "
                      "paths that lose packets",
                      given.name));
    }
  }
  return doubts;
}

SharedErrors shared_errors(const Side& a, const Side& b) {
  const bool has_sites = a.job.inner || b.job.inner;
  return {.gpus = is_shared(Concern::gpu, a, b),
          .network = is_shared(Concern::links, a, b) &&
                     (!has_sites || is_shared(Concern::wide_area, a, b))};
}

Pair simulate_pair(const Comparison& comparison, const std::vector<Doubt>& doubts,
                   const std::vector<double>& factors) {
  const auto inner_steps = std::make_shared<InnerSteps>();  // both sides'; no other draw has these
  Pair pair{simulate(doubted(comparison.a, true, doubts, factors, inner_steps)),
            simulate(doubted(comparison.b, false, doubts, factors, inner_steps))};
  for (std::size_t i = 0; i < doubts.size(); ++i) {
    if (doubts[i].is_of_model()) pair = pair.off_by(factors[i]);
  }
  return pair;
}

std::vector<Pair> simulate_repetitions(const Comparison& comparison,
                                       const std::vector<Doubt>& doubts,
                                       const std::function<void()>& step) {
  std::mt19937_64 generator(comparison.seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> factors(static_cast<std::size_t>(comparison.repetitions));
  for (std::vector<double>& drawn : factors) {
    for (const Doubt& doubt : doubts) {
      const double off = normal(generator);
      drawn.push_back(std::exp(off * doubt.spread_at(off)));
    }
  }
  return in_parallel(comparison.jobs, factors.size(), [&](std::size_t i) {
    step();
    return simulate_pair(comparison, doubts, factors[i]);
  });
}

}  // namespace sim::study
