// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/fit.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include "sim/base/error.hpp"

namespace sim::validation {
namespace {

// One number a constant: 1 plus the logarithm of its ratio to the value that it starts from.
// Eigen's steps are relative to these numbers, so all constants take the same, and none turns
// negative.
Eigen::VectorXd at_start(const Fitted& start) {
  const int count = (start.network_efficiency ? 1 : 0) + (start.communicator_bandwidth ? 1 : 0) +
                    (start.compute_efficiency ? 1 : 0);
  return Eigen::VectorXd::Ones(count);
}

Fitted from_vector(Fitted fitted, const Eigen::VectorXd& values) {
  Eigen::Index i = 0;
  const auto next_factor = [&] { return std::exp(values[i++] - 1); };
  if (fitted.network_efficiency) *fitted.network_efficiency *= next_factor();
  if (fitted.communicator_bandwidth) {
    fitted.communicator_bandwidth = *fitted.communicator_bandwidth * next_factor();
  }
  if (fitted.compute_efficiency) *fitted.compute_efficiency *= next_factor();
  return fitted;
}

// Eigen's interface for least squares.
struct Residuals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  Inputs& given;
  const std::string& cluster;
  const Fitted start;
  const std::vector<Measurement>& rows;
  Predictor predictor;
  int constants;

  [[nodiscard]] int inputs() const { return constants; }
  [[nodiscard]] int values() const { return static_cast<int>(rows.size()); }
  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& errors) const {
    given.clusters.at(cluster).fitted = from_vector(start, x);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double predicted = predictor(given, rows[i].setup).of(rows[i].metric);
      errors[static_cast<Eigen::Index>(i)] = std::log(predicted / rows[i].value);
    }
    return 0;
  }
};

}  // namespace

Fitted fit(Inputs inputs, const std::string& cluster, const std::vector<Measurement>& rows,
           Predictor predictor) {
  const Fitted start = inputs.clusters.at(cluster).fitted;
  Eigen::VectorXd x = at_start(start);
  require(static_cast<Eigen::Index>(rows.size()) >= x.size(), "as many rows as constants");
  Residuals residuals{inputs, cluster, start, rows, predictor, static_cast<int>(x.size())};
  // A step of 0.1 % is far above the rounding of flows to whole bytes.
  Eigen::NumericalDiff<Residuals> derivatives(residuals, 1e-6);
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Residuals>> solver(derivatives);
  solver.parameters.xtol = 1e-5;
  solver.parameters.ftol = 1e-6;
  solver.parameters.maxfev = 100;
  solver.minimize(x);
  return from_vector(start, x);
}

}  // namespace sim::validation
