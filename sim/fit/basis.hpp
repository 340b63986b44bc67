// SPDX-License-Identifier: Apache-2.0
// Columns at right angles: what of a column none of the others gives.
#pragma once

#include <span>
#include <vector>

namespace sim::fit {

using Column = std::vector<double>;

[[nodiscard]] double dot(std::span<const double> a, std::span<const double> b);
[[nodiscard]] double norm(std::span<const double> column);

// Orthonormal columns that span those that were added (Gram-Schmidt).
class Basis {
 public:
  // The column less its projection on those added.
  [[nodiscard]] Column own(Column column) const;
  // What lies within rounding of those added adds nothing.
  void add(const Column& column);

 private:
  std::vector<Column> directions_;
};

// What of column i no combination of the others gives. The least squares solution has the
// coefficient own * target / |own|^2 there, and that coefficient the variance of the target's
// noise / |own|^2.
[[nodiscard]] Column own_part(std::span<const Column> columns, std::size_t i);

}  // namespace sim::fit
