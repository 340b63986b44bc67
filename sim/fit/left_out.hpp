// SPDX-License-Identifier: Apache-2.0
// What a least squares fit would be without some of its rows, to first order: from the errors at the
// fit and their slopes, a column for each coordinate.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/fit/basis.hpp"

namespace sim::fit {

// The step of each coordinate that takes the errors away as well as it can.
[[nodiscard]] std::vector<double> step_of(std::span<const Column> slopes, const Column& errors);

// By row: the step to where a fit to the other rows would end.
[[nodiscard]] std::vector<std::vector<double>> steps_without_rows(std::span<const Column> slopes,
                                                                  const Column& errors);

// The error of each row that a fit to the others predicts.
[[nodiscard]] Column errors_without_rows(std::span<const Column> slopes, const Column& errors);

// Root of the mean square.
[[nodiscard]] double size_of(const Column& errors);

// The jackknife's standard deviation of a coordinate, by its steps without each row (Efron and
// Tibshirani, An Introduction to the Bootstrap, 11.5).
[[nodiscard]] double jackknife_deviation(std::span<const double> steps);

}  // namespace sim::fit
