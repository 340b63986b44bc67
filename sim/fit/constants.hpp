// SPDX-License-Identifier: Apache-2.0
// The constants of a cluster that logs of collectives can determine: what protocols, sums in the
// switch and all_to_alls reach on NVLink and on the network, and what starting them takes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "sim/topology/cluster.hpp"

namespace sim::fit {

enum class Measure { seconds, share };

struct Constant {
  std::string_view key;  // of a cluster file: "nvlink.ll_latency"
  Measure measure = Measure::seconds;
  // Nothing if the cluster lacks it: what is not there is not fitted.
  std::function<std::optional<double>(const Cluster& cluster)> get;
  std::function<void(Cluster& cluster, double value)> set;

  // Free coordinate of a value and back: any real number is a time above 0, or a share between 0
  // and 1.
  [[nodiscard]] double coordinate(double value) const;
  [[nodiscard]] double value(double coordinate) const;
  // Relative change of the value per change of the coordinate.
  [[nodiscard]] double slope(double coordinate) const;
};

// In order of preference: of constants that logs cannot tell apart, the first is fitted. A log
// between nodes so determines the network's latency and not NVLink's, and a log of one node the
// fixed cost of a collective before the latency of its steps.
[[nodiscard]] std::span<const Constant> all_constants();

}  // namespace sim::fit
