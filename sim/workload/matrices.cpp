// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/matrices.hpp"

namespace sim {

std::vector<MatrixShape> layer_matrices(const Model& model, int tensor) {
  const double hidden = model.hidden;
  const double queries = static_cast<double>(query_width(model)) / tensor;
  const double keys = static_cast<double>(key_width(model)) / tensor;
  const double wide = static_cast<double>(model.feed_forward) / tensor;
  return {{queries, hidden},
          {keys, hidden, 2},
          {hidden, queries},
          {wide, hidden, rising_widths(model)},
          {hidden, wide}};
}

}  // namespace sim
