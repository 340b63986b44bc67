// SPDX-License-Identifier: Apache-2.0
// Stacks of training software: which kernels they launch, and what they let overlap. A stack fills in
// the choices that nobody made; without one, the stage of ZeRO implies it: Megatron or, for stage 3,
// PyTorch's FSDP.
#pragma once

#include <span>
#include <string_view>

#include "sim/workload/parallelism.hpp"

namespace sim {

// One row of the table: its values are those of Parallelism.
struct Stack {
  std::string_view name, summary;
  std::string_view source;  // of its choices: recipes, defaults in the code
  StackDate first;          // release; nobody ran it before
  int zero = 1;             // the stage with which it is usually run
  Attention attention = Attention::unfused;
  Kernels kernels = Kernels::megatron;
  Loss loss = Loss::unfused;
  Optimizer optimizer = Optimizer::adamw;
  Casts casts = {};
  Overlap overlap = {};
  bool prefetch_after_backward = false;  // Sharding::prefetch_after_backward
  int loss_metrics = 0;
  // Recomputation leaves out what the backward pass does not read: the end of a layer. Megatron's,
  // DeepSpeed's and PyTorch's before 2.1 run the whole layer again.
  bool recomputes_what_is_read = false;
  // Tensor parallelism is PyTorch's DTensor. With sequence parallelism, the backward pass then reads
  // the inputs as the forward pass gathered them, where Megatron's products gather them again; and
  // each gather or scatter copies all of what it exchanges, since sequences are the second dimension
  // of the activations (torch/distributed/_functional_collectives.py), where Megatron's are the first.
  bool dtensor = false;
};

namespace stacks {
extern const Stack megatron, nemo, torch_eager, torch_compile, composer, deepspeed, maxtext,
    transformers;
}  // namespace stacks

[[nodiscard]] std::span<const Stack* const> all_stacks();

// Choices that nobody made and the stack therefore decides: the given one, or that of the stage of
// ZeRO.
struct OpenSoftware {
  bool attention = true, kernels = true, overlap = true;
  const Stack* stack = nullptr;
  StackDate date = {};  // at which it decides; not given: today
};
// At its date.
[[nodiscard]] Stack stack_of(int stage, const OpenSoftware& open);
// The same at another stage: fields of a job and searches alike choose a stage through this.
[[nodiscard]] Parallelism at_stage(Parallelism parallelism, int stage, const OpenSoftware& open);

}  // namespace sim
