// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/least_squares.hpp"

#include <cminpack.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "sim/base/error.hpp"

namespace sim::fit {
namespace {

using Columns = std::vector<std::vector<double>>;

struct Differentiated {
  const Residuals& residuals;
  Differences differences;
  double step;

  [[nodiscard]] std::vector<double> at(std::span<const double> x) const {
    std::vector<double> values(residuals.count);
    residuals.at(x, values);
    return values;
  }
  // `here` are the residuals at x; central differences need none.
  [[nodiscard]] Columns slopes(std::span<const double> x, std::span<const double> here) const {
    Columns columns;
    std::vector<double> moved(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double ahead = x[i] == 0 ? step : step * std::abs(x[i]);
      const double behind = differences == Differences::central ? ahead : 0;
      moved[i] = x[i] + ahead;
      std::vector<double> column = at(moved);
      moved[i] = x[i] - behind;
      const std::vector<double> before = behind > 0 ? at(moved) : std::vector<double>{};
      const std::span<const double> from = behind > 0 ? before : here;
      std::ranges::transform(column, from, column.begin(), [=](double after, double first) {
        return (after - first) / (ahead + behind);
      });
      moved[i] = x[i];
      columns.push_back(std::move(column));
    }
    return columns;
  }
};

// What MINPACK calls.
struct Callback {
  static constexpr int kGoOn = 0, kStop = -1;

  Differentiated function;
  int evaluations_left;
  std::exception_ptr thrown;  // C code cannot pass it on

  void evaluate(std::span<const double> x, std::span<double> values) {
    --evaluations_left;
    function.residuals.at(x, values);
  }
  void differentiate(std::span<const double> x, std::span<const double> values, double* slopes) {
    evaluations_left -=
        static_cast<int>(x.size()) * (function.differences == Differences::central ? 2 : 1);
    for (const std::vector<double>& column : function.slopes(x, values)) {
      slopes = std::ranges::copy(column, slopes).out;
    }
  }
  static int call(void* self, int count, int coordinates, const double* coordinate, double* value,
                  double* slopes, int /*rows*/, int purpose) {
    auto& callback = *static_cast<Callback*>(self);
    const std::span x(coordinate, static_cast<std::size_t>(coordinates));
    const std::span values(value, static_cast<std::size_t>(count));
    if (callback.evaluations_left <= 0) return kStop;
    try {
      purpose == 1 ? callback.evaluate(x, values) : callback.differentiate(x, values, slopes);
    } catch (...) {
      callback.thrown = std::current_exception();
      return kStop;
    }
    return kGoOn;
  }
};

}  // namespace

std::vector<double> least_squares(const Residuals& residuals, std::vector<double> start,
                                  const Descent& descent) {
  const std::size_t m = residuals.count, n = start.size();
  require(n > 0 && m >= n, "as many residuals as coordinates");
  Callback callback{
      {residuals, descent.differences, descent.step}, descent.most_evaluations, nullptr};
  std::vector<double> values(m), slopes(m * n), scales(n), projected(n);
  std::vector<int> pivots(n);
  std::vector<double> a(n), b(n), c(n), d(m);  // for MINPACK to work in
  constexpr int kScaleByColumns = 1, kPrintNothing = 0,
                kAnyNumber = std::numeric_limits<int>::max();
  constexpr double kAnyAngle = 0;
  int evaluations = 0, jacobians = 0;
  lmder(&Callback::call, &callback, static_cast<int>(m), static_cast<int>(n), start.data(),
        values.data(), slopes.data(), static_cast<int>(m), descent.cost_tolerance,
        descent.x_tolerance, kAnyAngle, kAnyNumber, scales.data(), kScaleByColumns,
        descent.first_step, kPrintNothing, &evaluations, &jacobians, pivots.data(),
        projected.data(), a.data(), b.data(), c.data(), d.data());
  if (callback.thrown) std::rethrow_exception(callback.thrown);
  return start;
}

Columns jacobian(const Residuals& residuals, std::span<const double> x, Differences differences,
                 double step) {
  const Differentiated function{residuals, differences, step};
  return function.slopes(
      x, differences == Differences::forward ? function.at(x) : std::vector<double>{});
}

}  // namespace sim::fit
