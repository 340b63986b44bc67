// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/study/search/likely_range.hpp"
#include "sim/study/search/nic_bandwidth.hpp"

namespace sim::study {

namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();

// Of the logarithm of the bandwidth.
double spread_at(const Job& job, std::span<const Setup> setups, std::span<const Setup> baselines,
                 StepTimes& times, double factor) {
  const auto speedup = [&](double at) {
    return times.least(baselines, at) / times.least(setups, at);
  };
  const double slower = std::max(kNicFactors.lowest, factor / 2);
  const double faster = std::min(kNicFactors.highest, factor * 2);
  const double slope = std::log(speedup(slower) / speedup(faster)) / std::log(faster / slower);
  const double of_model = slope > 0 ? ratio_spread().of_logarithm / slope : kEver;
  return std::hypot(speed_spread_of(job), of_model);
}

}  // namespace

std::optional<BreakEven> find_break_even(const Job& job, std::span<const Setup> setups,
                                         std::span<const Setup> baselines, StepTimes& times,
                                         const Watch& watch) {
  if (job.cluster().nodes < 2 || !setups.front().scheme.compresses()) return std::nullopt;
  const auto pays = [&](double factor) {
    return !times.any_reaches(baselines, factor, times.least(setups, factor));
  };
  watch.expect(most_tries(kNicFactors));
  const Found found = bracket(kNicFactors, pays, watch.step);
  const double now = job.cluster().network.nic_bandwidth.base();
  const double lowest = now * kNicFactors.lowest, highest = now * kNicFactors.highest;
  // It pays nowhere, or on fast networks only: there is no bandwidth below which it does.
  if (!found.ever || found.met > found.missed) return BreakEven{0, lowest, now, 0, lowest};
  if (found.always) return BreakEven{highest, kEver, now, highest, kEver};
  const double off = kLikelySpreads * spread_at(job, setups, baselines, times, found.met);
  const double low = now * found.met * std::exp(-off), high = now * found.met * std::exp(off);
  return BreakEven{now * found.met, now * found.missed, now, low < lowest ? 0 : low,
                   high > highest ? kEver : high};
}

}  // namespace sim::study
