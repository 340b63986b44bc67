// SPDX-License-Identifier: Apache-2.0
// Break-even: the network on which a scheme stops paying.
#pragma once

#include <limits>
#include <optional>
#include <span>

#include "sim/report/report.hpp"
#include "sim/study/search/bracket.hpp"
#include "sim/study/search/step_times.hpp"
#include "sim/study/watch.hpp"

namespace sim::study {

// Factors on the NIC bandwidth: pays nowhere, pays anywhere.
struct BreakEvenEnds {
  double low = 0, high = std::numeric_limits<double>::infinity();
};
// The likely range of `found`, up to which one of `setups` is faster than all `baselines`: a break-even is
// where the network stands in one ratio to the GPUs, so it is off by as much as both are; and by the
// model's own error in the ratio of the two, it is where the speed-up is as much above or below 1.
[[nodiscard]] BreakEvenEnds likely_ends(const Job& job, std::span<const Setup> setups,
                                        std::span<const Setup> baselines, StepTimes& times,
                                        const Found& found);

// Simulates both over NIC bandwidths from 1/256 to 256 times the cluster's, until the bracket is 1 %
// wide. A cap on one communicator scales along. Each side is the fastest of several setups, searched
// anew at each bandwidth. Nothing on one node, or for an uncompressed scheme.
[[nodiscard]] std::optional<BreakEven> find_break_even(const Job& job,
                                                       std::span<const Setup> setups,
                                                       std::span<const Setup> baselines,
                                                       StepTimes& times, const Watch& watch = {});

}  // namespace sim::study
