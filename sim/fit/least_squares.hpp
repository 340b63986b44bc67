// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares: Levenberg-Marquardt (MINPACK), with derivatives by differences.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace sim::fit {

struct Residuals {
  std::size_t count = 0;
  // Fills as many as `count`.
  std::function<void(std::span<const double> x, std::span<double> residuals)> at;
};

enum class Differences { forward, central };

struct Descent {
  Differences differences = Differences::forward;
  double step = 0;         // of the derivatives, relative to each coordinate
  double x_tolerance = 0;  // relative; it ends when either is met
  double cost_tolerance = 0;
  double first_step = 100;   // most, relative to the start
  int most_evaluations = 0;  // of the residuals, those of derivatives among them
};

// Where the squared residuals are least, as found from `start`. There must be as many residuals as
// coordinates, or more. Throws what the residuals throw.
[[nodiscard]] std::vector<double> least_squares(const Residuals& residuals,
                                                std::vector<double> start, const Descent& descent);

// Of the residuals, a column for each coordinate.
[[nodiscard]] std::vector<std::vector<double>> jacobian(const Residuals& residuals,
                                                        std::span<const double> x,
                                                        Differences differences, double step);

}  // namespace sim::fit
