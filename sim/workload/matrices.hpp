// SPDX-License-Identifier: Apache-2.0
// The weight matrices of a layer, one by one.
#pragma once

#include <vector>

#include "sim/workload/model.hpp"

namespace sim {

// Matrices of the same shape in a layer.
struct MatrixShape {
  double rows = 0;
  double columns = 0;
  int count = 1;
  [[nodiscard]] double parameters() const { return rows * columns * count; }
};
// Queries, keys, values, the attention output, the matrices up to the feed-forward width (gate and
// up) and the matrix back down, each separately, as sharded on one of `tensor` tensor-parallel
// ranks. Outputs and the matrix down are split by columns, the others by rows.
[[nodiscard]] std::vector<MatrixShape> layer_matrices(const Model& model, int tensor = 1);

}  // namespace sim
