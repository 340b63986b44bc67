// SPDX-License-Identifier: Apache-2.0
// Which layers a pipeline stage holds. Virtual stage v is chunk v / stages of stage v % stages. Where
// layers do not divide evenly, the first virtual stages hold one more, as torchtitan's do. Embedding
// and head may each count as a layer, as in Llama 3 (arXiv 2407.21783, section 3.3.2) and under
// Megatron's account_for_embedding_in_pipeline_split: 126 layers on 16 stages are then 7, 14 times 8,
// and 7. A chunk that such an end leaves without layers is one place where layers would be.
#pragma once

#include <vector>

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Layers of the model, and embedding and head where they count as layers.
[[nodiscard]] int counted_layers(const Model& model, const Parallelism& parallelism);

// The number of the virtual stage's first layer in the model; of one past the last, of all layers.
[[nodiscard]] int first_layer(const Model& model, const Parallelism& parallelism,
                              int virtual_stage);
[[nodiscard]] int layers_of(const Model& model, const Parallelism& parallelism, int virtual_stage);

// Layers of all chunks of the stage.
[[nodiscard]] int stage_layers(const Model& model, const Parallelism& parallelism, int stage);
// Where each of the stage's chunks begins, counted in places from the stage's own first, and at the
// end the number of the stage's places. A place is a layer or, in a chunk without layers, stands for
// the embedding or head alone.
[[nodiscard]] std::vector<int> chunk_starts(const Model& model, const Parallelism& parallelism,
                                            int stage);
// Layers of the largest chunk of any stage.
[[nodiscard]] int most_layers_of_a_chunk(const Model& model, const Parallelism& parallelism);

}  // namespace sim
