// SPDX-License-Identifier: Apache-2.0
// Fits a cluster's constants to logs of collectives: least squares of the logarithms of the times
// (Levenberg-Marquardt), in which times far off count by their distance, not by its square
// (pseudo-Huber; Hartley and Zisserman, Multiple View Geometry, 2nd edition, A6.8). Deterministic.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/fit/constants.hpp"
#include "sim/fit/log.hpp"

namespace sim::fit {

struct Interval {
  double low = 0, high = 0;
};

struct FittedConstant {
  const Constant* constant = nullptr;
  double base = 0, value = 0;
  // Of 95 %, from the scatter of the times about the fit. None of a bound, or if the logs have no
  // more times than constants were fitted.
  std::optional<Interval> interval;
  // In the fit no time depends on it: its protocol, or NVLS, must be at least so slow.
  bool bound = false;
};

// Why a constant stays what it is in the base.
enum class Kept {
  unused,     // no time of the logs depends on it
  not_alone,  // the times determine it only together with constants that were fitted
  agrees,     // the times do not contradict it
};
struct KeptConstant {
  const Constant* constant = nullptr;
  double base = 0;
  Kept because = Kept::unused;
};

struct Fit {
  Cluster cluster;  // the base with the fitted constants
  std::vector<FittedConstant> fitted;
  std::vector<KeptConstant> kept;
};

// Fits the constants that the logs determine: those that, with the ones before them in
// all_constants(), would be known to 20 % if each time were known to 3 %. Logs must fit the base's
// shape.
[[nodiscard]] Fit fit_constants(const Cluster& base, std::span<const Log> logs);

// The cluster with these constants alone fitted to other logs, from where it is.
[[nodiscard]] Cluster refit(const Cluster& cluster, std::span<const Constant* const> free,
                            std::span<const Log> logs);

}  // namespace sim::fit
