// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/left_out.hpp"

#include <cmath>
#include <numeric>

namespace sim::fit {
namespace {

Column without_row(Column column, std::size_t row) {
  column.erase(column.begin() + static_cast<std::ptrdiff_t>(row));
  return column;
}

}  // namespace

std::vector<double> step_of(std::span<const Column> slopes, const Column& errors) {
  std::vector<double> step;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const Column own = own_part(slopes, i);
    const double length = dot(own, own);
    step.push_back(length > 0 ? -dot(own, errors) / length : 0);
  }
  return step;
}

std::vector<std::vector<double>> steps_without_rows(std::span<const Column> slopes,
                                                    const Column& errors) {
  std::vector<std::vector<double>> steps;
  for (std::size_t row = 0; row < errors.size(); ++row) {
    std::vector<Column> others;
    for (const Column& slope : slopes) others.push_back(without_row(slope, row));
    steps.push_back(step_of(others, without_row(errors, row)));
  }
  return steps;
}

Column errors_without_rows(std::span<const Column> slopes, const Column& errors) {
  Column without = errors;
  const auto steps = steps_without_rows(slopes, errors);
  for (std::size_t row = 0; row < errors.size(); ++row) {
    for (std::size_t i = 0; i < slopes.size(); ++i) without[row] += slopes[i][row] * steps[row][i];
  }
  return without;
}

double size_of(const Column& errors) {
  return norm(errors) / std::sqrt(static_cast<double>(errors.size()));
}

double jackknife_deviation(std::span<const double> steps) {
  const auto count = static_cast<double>(steps.size());
  const double mean = std::accumulate(steps.begin(), steps.end(), 0.0) / count;
  double squares = 0;
  for (const double one : steps) squares += (one - mean) * (one - mean);
  return std::sqrt(squares * (count - 1) / count);
}

}  // namespace sim::fit
