// SPDX-License-Identifier: Apache-2.0
// Which layers a pipeline stage holds. Virtual stage v is chunk v / stages of stage v % stages. Where
// layers do not divide evenly, the first virtual stages hold one more, as torchtitan's do. Embedding
// and head may each count as a layer, as in Llama 3 (arXiv 2407.21783, section 3.3.2) and under
// Megatron's account_for_embedding_in_pipeline_split: 126 layers on 16 stages are then 7, 14 times 8,
// and 7. A chunk that such an end leaves without layers is one place where layers would be.
//
// Layers that differ, or have experts, are divided by their FLOP, the logits' included: no virtual stage
// has more than the least that any division leaves the busiest. Parallelism::stage_layers says another
// division.
#pragma once

#include <vector>

#include "sim/workload/layer_kinds.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

class Stages {
 public:
  Stages(const Model& model, const Parallelism& parallelism);

  // The number of the virtual stage's first layer in the model; of one past the last, of all layers.
  [[nodiscard]] int first_layer(int virtual_stage) const {
    return firsts_[static_cast<std::size_t>(virtual_stage)];
  }
  [[nodiscard]] int layers_of(int virtual_stage) const {
    return first_layer(virtual_stage + 1) - first_layer(virtual_stage);
  }
  // Layers of all chunks of the stage.
  [[nodiscard]] int layers_of_stage(int stage) const;
  // Where each of the stage's chunks begins, counted in places from the stage's own first, and at the
  // end the number of the stage's places. A place is a layer or, in a chunk without layers, stands for
  // the embedding or head alone.
  [[nodiscard]] std::vector<int> chunk_starts(int stage) const;
  // Layers of the largest chunk of any stage.
  [[nodiscard]] int most_layers_of_a_chunk() const;

 private:
  int pipeline_, chunks_;
  std::vector<int> firsts_;  // of each virtual stage, and the number of all layers
};

// Layers of the model, and embedding and head where they count as layers.
[[nodiscard]] int counted_layers(const Model& model, const Parallelism& parallelism);
// How many layers of each kind the stage holds.
[[nodiscard]] KindCounts kinds_of_stage(const Model& model, const Stages& stages,
                                        const Parallelism& parallelism, int stage);

}  // namespace sim
