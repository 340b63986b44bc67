// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/break_even.hpp"

#include <algorithm>
#include <cmath>

#include "sim/study/search/likely_range.hpp"
#include "sim/study/search/nic_bandwidth.hpp"

namespace sim::study {

namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();

constexpr double kCloseEnds = 1.1;  // of a likely range

// By how many seconds the baselines take longer than `least` times the setups, at a factor on the NICs. What
// takes far longer is not simulated.
auto gain(std::span<const Setup> setups, std::span<const Setup> baselines, StepTimes& times,
          double least) {
  constexpr double kFar = 2;
  return [=, &times](double factor) {
    const double beaten = least * times.least(setups, factor);
    return times.least(baselines, factor, kFar * beaten) - beaten;
  };
}

// Where the scheme would stop paying if the ratio of the two were off by the model's own error.
BreakEvenEnds ends_by_model(std::span<const Setup> setups, std::span<const Setup> baselines,
                            StepTimes& times, const Found& found) {
  const double off = std::exp(kLikelySpreads * ratio_spread().of_logarithm);
  const auto no_step = [] {};
  const Found below =
      bracket_by_margin({.lowest = kNicFactors.lowest, .highest = found.met, .close = kCloseEnds},
                        gain(setups, baselines, times, off), no_step);
  const Found above = bracket_by_margin(
      {.lowest = found.missed, .highest = kNicFactors.highest, .close = kCloseEnds},
      gain(setups, baselines, times, 1 / off), no_step);
  return {.low = below.always ? found.met
                 : below.ever ? below.met
                              : 0,
          .high = above.always ? kEver
                  : above.ever ? above.met
                               : found.met};
}

}  // namespace

BreakEvenEnds likely_ends(const Job& job, std::span<const Setup> setups,
                          std::span<const Setup> baselines, StepTimes& times, const Found& found) {
  const BreakEvenEnds of_model = ends_by_model(setups, baselines, times, found);
  // Where a network is slower than its NICs say, compression pays on faster NICs.
  const auto away = [&](double end, Towards network) {
    return std::hypot(kLikelySpreads * speed_spread_of(job, network), std::log(end / found.met));
  };
  const double low =
      of_model.low > 0 ? found.met * std::exp(-away(of_model.low, Towards::faster)) : 0;
  const double high = std::isfinite(of_model.high)
                          ? found.met * std::exp(away(of_model.high, Towards::slower))
                          : kEver;
  return {.low = low < kNicFactors.lowest ? 0 : low,
          .high = high > kNicFactors.highest ? kEver : high};
}

std::optional<BreakEven> find_break_even(const Job& job, std::span<const Setup> setups,
                                         std::span<const Setup> baselines, StepTimes& times,
                                         const Watch& watch) {
  if (job.cluster().nodes < 2 || !setups.front().scheme.compresses()) return std::nullopt;
  watch.expect(most_tries(kNicFactors));
  const Found found = bracket_by_margin(kNicFactors, gain(setups, baselines, times, 1), watch.step);
  const double now = job.cluster().network.nic_bandwidth.base();
  const double lowest = now * kNicFactors.lowest, highest = now * kNicFactors.highest;
  // It pays nowhere, or on fast networks only: there is no bandwidth below which it does.
  if (!found.ever || found.met > found.missed) return BreakEven{0, lowest, now, 0, lowest};
  if (found.always) return BreakEven{highest, kEver, now, highest, kEver};
  const BreakEvenEnds ends = likely_ends(job, setups, baselines, times, found);
  return BreakEven{now * found.met, now * found.missed, now, now * ends.low, now * ends.high};
}

}  // namespace sim::study
