// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares: Levenberg-Marquardt (Eigen), with derivatives by differences.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace sim::fit {

struct Residuals {
  Eigen::Index count = 0;
  // Fills as many as `count`.
  std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& residuals)> at;
};

enum class Differences { forward, central };

struct Descent {
  Differences differences = Differences::forward;
  double step = 0;         // of the derivatives, relative to each coordinate
  double x_tolerance = 0;  // relative; it ends when either is met
  double cost_tolerance = 0;
  double first_step = 100;  // most, relative to the start
  int most_evaluations = 0;
};

// Where the squared residuals are least, as found from `start`. There must be as many residuals as
// coordinates, or more.
[[nodiscard]] Eigen::VectorXd least_squares(const Residuals& residuals, Eigen::VectorXd start,
                                            const Descent& descent);

// Of the residuals, a row each, by the coordinates.
[[nodiscard]] Eigen::MatrixXd jacobian(const Residuals& residuals, const Eigen::VectorXd& x,
                                       Differences differences, double step);

}  // namespace sim::fit
