// SPDX-License-Identifier: Apache-2.0
#include "apps/search/break_even.hpp"

#include <limits>

#include "apps/progress.hpp"
#include "apps/search/nic_bandwidth.hpp"

namespace apps {

std::optional<sim::BreakEven> find_break_even(const Job& job, std::span<const Setup> setups,
                                              std::span<const Setup> baselines, StepTimes& times) {
  if (job.cluster().nodes < 2 || !setups.front().scheme.compresses()) return std::nullopt;
  const auto pays = [&](double factor) {
    return !times.any_reaches(baselines, factor, times.least(setups, factor));
  };
  Progress progress("searching for the break-even bandwidth", most_tries(kNicFactors));
  const Found found = bracket(kNicFactors, pays, [&] { progress.step(); });
  const double now = job.cluster().network.nic_bandwidth.base();
  // It pays nowhere, or on fast networks only: there is no bandwidth below which it does.
  if (!found.ever || found.met > found.missed) {
    return sim::BreakEven{0, now * kNicFactors.lowest, now};
  }
  if (found.always) {
    return sim::BreakEven{now * kNicFactors.highest, std::numeric_limits<double>::infinity(), now};
  }
  return sim::BreakEven{now * found.met, now * found.missed, now};
}

}  // namespace apps
