// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/break_even.hpp"

#include <limits>

#include "sim/study/search/nic_bandwidth.hpp"

namespace sim::study {

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
  // It pays nowhere, or on fast networks only: there is no bandwidth below which it does.
  if (!found.ever || found.met > found.missed) {
    return BreakEven{0, now * kNicFactors.lowest, now};
  }
  if (found.always) {
    return BreakEven{now * kNicFactors.highest, std::numeric_limits<double>::infinity(), now};
  }
  return BreakEven{now * found.met, now * found.missed, now};
}

}  // namespace sim::study
