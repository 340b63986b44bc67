#include "sim/validation/fit.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include "sim/base/error.hpp"

namespace sim::validation {
namespace {

// Constants in logarithms, so that steps are relative and no constant turns negative.
Eigen::VectorXd to_vector(const Fitted& fitted) {
  std::vector<double> values;
  if (fitted.network_efficiency) values.push_back(std::log(*fitted.network_efficiency));
  if (fitted.communicator_bandwidth) {
    values.push_back(std::log(fitted.communicator_bandwidth->base()));
  }
  if (fitted.compute_efficiency) values.push_back(std::log(*fitted.compute_efficiency));
  return Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Fitted from_vector(Fitted fitted, const Eigen::VectorXd& values) {
  Eigen::Index i = 0;
  if (fitted.network_efficiency) fitted.network_efficiency = std::exp(values[i++]);
  if (fitted.communicator_bandwidth) {
    fitted.communicator_bandwidth = Bandwidth::from_base(std::exp(values[i++]));
  }
  if (fitted.compute_efficiency) fitted.compute_efficiency = std::exp(values[i++]);
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
  const std::vector<Measurement>& rows;
  Predictor predictor;
  int constants;

  [[nodiscard]] int inputs() const { return constants; }
  [[nodiscard]] int values() const { return static_cast<int>(rows.size()); }
  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& errors) const {
    Fitted& fitted = given.clusters.at(cluster).fitted;
    fitted = from_vector(fitted, x);
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
  Fitted& fitted = inputs.clusters.at(cluster).fitted;
  Eigen::VectorXd x = to_vector(fitted);
  require(static_cast<Eigen::Index>(rows.size()) >= x.size(), "as many rows as constants");
  Residuals residuals{inputs, cluster, rows, predictor, static_cast<int>(x.size())};
  // A step of 0.1 % is far above the rounding of flows to whole bytes.
  Eigen::NumericalDiff<Residuals> derivatives(residuals, 1e-6);
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Residuals>> solver(derivatives);
  solver.parameters.xtol = 1e-5;
  solver.parameters.ftol = 1e-6;
  solver.parameters.maxfev = 100;
  solver.minimize(x);
  return from_vector(fitted, x);
}

}  // namespace sim::validation
