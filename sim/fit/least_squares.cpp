// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/least_squares.hpp"

#include <Eigen/Dense>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

namespace sim::fit {
namespace {

// Eigen's interface for functions.
struct Function {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const Residuals& residuals;
  int coordinates = 0;

  [[nodiscard]] int inputs() const { return coordinates; }
  [[nodiscard]] int values() const { return static_cast<int>(residuals.count); }
  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& values) const {
    residuals.at(x, values);
    return 0;
  }
};

// With derivatives, of either kind.
struct Differentiated : Function {
  Differences differences = Differences::forward;
  double step = 0;

  int df(const Eigen::VectorXd& x, Eigen::MatrixXd& slopes) const {
    const Function& function = *this;
    return differences == Differences::forward
               ? Eigen::NumericalDiff<Function>(function, step * step).df(x, slopes)
               : Eigen::NumericalDiff<Function, Eigen::Central>(function, step * step)
                     .df(x, slopes);
  }
};

}  // namespace

Eigen::VectorXd least_squares(const Residuals& residuals, Eigen::VectorXd start,
                              const Descent& descent) {
  const Differentiated function{
      {residuals, static_cast<int>(start.size())}, descent.differences, descent.step};
  Eigen::LevenbergMarquardt<const Differentiated> solver(function);
  solver.parameters.xtol = descent.x_tolerance;
  solver.parameters.ftol = descent.cost_tolerance;
  solver.parameters.factor = descent.first_step;
  solver.parameters.maxfev = descent.most_evaluations;
  solver.minimize(start);
  return start;
}

Eigen::MatrixXd jacobian(const Residuals& residuals, const Eigen::VectorXd& x,
                         Differences differences, double step) {
  Eigen::MatrixXd slopes(residuals.count, x.size());
  Differentiated{{residuals, static_cast<int>(x.size())}, differences, step}.df(x, slopes);
  return slopes;
}

}  // namespace sim::fit
