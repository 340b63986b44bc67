// SPDX-License-Identifier: Apache-2.0
// The times that the cost functions of sim/collectives give for the runs of logs, and their errors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/fit/log.hpp"

namespace sim::fit {

// Of each log, of each of its times, in order: what the collective takes on links that nothing else
// uses, by the algorithm and the protocol that the cluster's collectives choose. Logs must fit the
// cluster: check_shape().
[[nodiscard]] std::vector<double> predicted_s(const Cluster& cluster, std::span<const Log> logs);

// Throws an InputError that begins with the log's name if the cluster has fewer nodes or GPUs per
// node.
void check_shape(const Cluster& cluster, const Log& log);

[[nodiscard]] std::vector<double> measured_s(std::span<const Log> logs);
[[nodiscard]] std::vector<double> bytes_of(std::span<const Log> logs);

// Relative errors of predicted times.
struct Errors {
  int count = 0;
  double mean = 0;   // of absolute values
  double worst = 0;  // with its sign: above 0 if the prediction is too slow
  double worst_bytes = 0;
};
// All three with as many entries. A prediction of 0 is none, and does not count.
[[nodiscard]] Errors errors_of(std::span<const double> predicted, std::span<const double> measured,
                               std::span<const double> bytes);

}  // namespace sim::fit
