// SPDX-License-Identifier: Apache-2.0
// Activations that the hosts keep (`offload-activations`): which layers', and what that leaves on the
// GPUs.
//
// Of each virtual stage the first layers leave, and the others stay, as with Transformer Engine's
// get_cpu_offload_context(num_layers, model_layers), which never has more than the activations of
// (model_layers - num_layers) layers on the GPU. Those that leave go through the room of those that
// will stay, so that at least two layers' is needed for a layer to compute while another one's is
// copied; where fewer stay, a stage has buffers besides.
#pragma once

#include "sim/workload/layer_kinds.hpp"
#include "sim/workload/parallelism.hpp"
#include "sim/workload/stages.hpp"

namespace sim {

// Rooms for a layer's activations between which compute and copies alternate.
inline constexpr int kAlternatingBuffers = 2;

// Of so many layers of a virtual stage, those whose activations leave.
[[nodiscard]] int leaving_layers(const Parallelism& parallelism, int layers);
// The same of a pass whose backward pass follows at once on the stage: what is in the buffers then
// stays there.
[[nodiscard]] int leaving_before_turn(const Parallelism& parallelism, int layers);
// Buffers that the stage has besides the rooms of layers that stay.
[[nodiscard]] int extra_buffers(const Parallelism& parallelism, const Stages& stages, int stage);

// How many layers of each kind of the stage's chunks leave.
[[nodiscard]] KindCounts leaving_kinds(const Model& model, const Parallelism& parallelism,
                                       const Stages& stages, int stage);

// Bytes of activations that hosts hold for one GPU, of the stage for whose GPUs they hold most.
[[nodiscard]] double host_activation_bytes(const Model& model, const Parallelism& parallelism);

}  // namespace sim
