// The weight matrices of a layer, one by one.
#pragma once

#include <vector>

#include "sim/workload/model.hpp"

namespace sim {

// Matrices of one shape in a layer.
struct MatrixShape {
  double rows = 0;
  double columns = 0;
  int count = 1;
  [[nodiscard]] double parameters() const { return rows * columns * count; }
};
// Queries, keys, values, attention's output, what rises to the feed-forward width (gate and up) and
// what leads back, each a matrix of its own: what one of `tensor` tensor-parallel ranks has of it.
// Outputs and what leads back are split by columns, the others by rows.
[[nodiscard]] std::vector<MatrixShape> layer_matrices(const Model& model, int tensor = 1);

}  // namespace sim
