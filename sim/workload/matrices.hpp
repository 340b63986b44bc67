// SPDX-License-Identifier: Apache-2.0
// The weight matrices of a layer, one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/layer_kinds.hpp"
#include "sim/workload/model.hpp"

namespace sim {

// Matrices of the same shape in a layer, and how tensor-parallel ranks split each.
struct LayerMatrix {
  enum class Split { outputs, inputs, none };
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
  Split split = Split::outputs;
  std::int64_t count = 1;
  std::int64_t met = 1;    // of `count`, those that one token is multiplied with
  bool routed = false;     // of experts that a router chooses from
  bool of_sample = false;  // multiplied once a sample, not once a token
  [[nodiscard]] std::int64_t parameters() const { return outputs * inputs * count; }
};
// Queries, keys and values each by itself, the attention's output, gate and up, and what leads back
// down; of experts likewise, with their router.
[[nodiscard]] std::vector<LayerMatrix> layer_weights(const Model& model, LayerKind kind);

struct MatrixShape {
  double rows = 0;
  double columns = 0;
  double count = 1;
  bool routed = false;
  [[nodiscard]] double parameters() const { return rows * columns * count; }
};
// Ranks that split each matrix, each expert's, and the experts among themselves.
struct MatrixSplit {
  int tensor = 1, expert_tensor = 1, expert = 1;
};
// The same as sharded on a rank.
[[nodiscard]] std::vector<MatrixShape> layer_matrices(const Model& model, LayerKind kind,
                                                      MatrixSplit split = {});

}  // namespace sim
