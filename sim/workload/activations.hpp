// SPDX-License-Identifier: Apache-2.0
// Activations: the memory that a micro-batch occupies between its forward and backward passes.
#pragma once

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Bytes of one layer, of one micro-batch on one rank.
struct LayerActivations {
  double attention = 0;  // or of what else mixes tokens
  double feed_forward = 0;
  [[nodiscard]] double total() const { return attention + feed_forward; }
};
// Without recomputation.
[[nodiscard]] LayerActivations all_activations(const Model& model, const Parallelism& parallelism,
                                               LayerKind kind = {});
// Kept until the backward pass.
[[nodiscard]] LayerActivations kept_activations(const Model& model, const Parallelism& parallelism,
                                                LayerKind kind = {});
// Values of a micro-batch between two layers, over all tensor-parallel ranks.
[[nodiscard]] double values_between_layers(const Model& model, const Parallelism& parallelism);
// Bytes of the logits and of the loss's intermediate results, on a rank of the last stage.
[[nodiscard]] double head_activations(const Model& model, const Parallelism& parallelism);

}  // namespace sim
