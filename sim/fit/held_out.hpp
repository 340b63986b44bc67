// SPDX-License-Identifier: Apache-2.0
// How well a fit predicts times that it has not seen.
#pragma once

#include <span>
#include <vector>

#include "sim/fit/fit.hpp"
#include "sim/fit/times.hpp"

namespace sim::fit {

struct Split {
  std::vector<Log> used, held;
};
// Every second size of each log, from its second smallest on.
[[nodiscard]] Split hold_out_sizes(std::span<const Log> logs);
// The logs of the most GPUs. None if all have as many.
[[nodiscard]] Split hold_out_most_gpus(std::span<const Log> logs);

// For each time of `logs` that of an alpha-beta law for its collective, fitted to `used`; 0 for a
// collective that `used` lacks.
[[nodiscard]] std::vector<double> law_s(std::span<const Log> used, std::span<const Log> logs);

// Each time as predicted from the times of all other sizes: by the fit, whose constants are fitted
// again without the size, and by alpha-beta laws.
[[nodiscard]] std::vector<double> without_its_size_s(const Fit& fit, std::span<const Log> logs);
[[nodiscard]] std::vector<double> law_without_its_size_s(std::span<const Log> logs);

}  // namespace sim::fit
