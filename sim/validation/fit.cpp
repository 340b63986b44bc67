// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/fit.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/fit/least_squares.hpp"

namespace sim::validation {
namespace {

// One number a constant: 1 plus the logarithm of its ratio to the value that it starts from.
// The solver's steps are relative to these numbers, so all constants take the same, and none turns
// negative.
std::vector<double> at_start(const Fitted& start) {
  const auto constants = {start.network_efficiency.has_value(),
                          start.communicator_bandwidth.has_value(),
                          start.compute_efficiency.has_value()};
  return std::vector<double>(static_cast<std::size_t>(std::ranges::count(constants, true)), 1);
}

Fitted from_vector(Fitted fitted, std::span<const double> values) {
  std::size_t i = 0;
  const auto next_factor = [&] { return std::exp(values[i++] - 1); };
  if (fitted.network_efficiency) *fitted.network_efficiency *= next_factor();
  if (fitted.communicator_bandwidth) {
    fitted.communicator_bandwidth = *fitted.communicator_bandwidth * next_factor();
  }
  if (fitted.compute_efficiency) *fitted.compute_efficiency *= next_factor();
  return fitted;
}

}  // namespace

Fitted fit(Inputs inputs, const std::string& cluster, const std::vector<Measurement>& rows,
           Predictor predictor) {
  const Fitted start = inputs.clusters.at(cluster).fitted;
  require(rows.size() >= at_start(start).size(), "as many rows as constants");
  const auto log_errors = [&](std::span<const double> at, std::span<double> errors) {
    inputs.clusters.at(cluster).fitted = from_vector(start, at);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double predicted = predictor(inputs, rows[i].setup).of(rows[i].metric);
      errors[i] = std::log(predicted / rows[i].value);
    }
  };
  // A step of 0.1 % is far above the rounding of flows to whole bytes.
  const std::vector<double> x = sim::fit::least_squares(
      {rows.size(), log_errors}, at_start(start),
      {.step = 1e-3, .x_tolerance = 1e-5, .cost_tolerance = 1e-6, .most_evaluations = 100});
  return from_vector(start, x);
}

}  // namespace sim::validation
