// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/basis.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace sim::fit {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double norm(std::span<const double> column) { return std::sqrt(dot(column, column)); }

Column Basis::own(Column column) const {
  for (const Column& direction : directions_) {
    const double along = dot(direction, column);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * direction[i];
  }
  return column;
}

void Basis::add(const Column& column) {
  constexpr double kRounding = 1e-12;
  Column direction = own(column);
  const double length = norm(direction);
  if (length <= kRounding * norm(column)) return;
  for (double& entry : direction) entry /= length;
  directions_.push_back(std::move(direction));
}

Column own_part(std::span<const Column> columns, std::size_t i) {
  Basis others;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (j != i) others.add(columns[j]);
  }
  return others.own(columns[i]);
}

}  // namespace sim::fit
