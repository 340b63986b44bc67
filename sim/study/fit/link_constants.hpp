// SPDX-License-Identifier: Apache-2.0
// The constants of a cluster's links that logs of collectives tell about, coarsely: for a diagnosis,
// where sim/fit has those of each protocol.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/fit/log.hpp"
#include "sim/study/fit/posterior.hpp"

namespace sim::study {

// The network's share, the bandwidth of links inside nodes, and the delays of collectives.
[[nodiscard]] std::span<const JobConstant> link_constants();

// The logs' times. Neighbouring sizes of a log are off together, so that a log counts as few times.
// `base` and `logs` must outlive it.
[[nodiscard]] MeasuredTimes timed(const Job& base, std::span<const fit::Log> logs);

}  // namespace sim::study
