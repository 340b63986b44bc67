// SPDX-License-Identifier: Apache-2.0
// The training software that a stage of ZeRO implies: Megatron or, for stage 3, PyTorch's FSDP.
#pragma once

#include "sim/workload/parallelism.hpp"

namespace sim::study {

// Choices that nobody made and the stage of ZeRO therefore decides.
struct OpenSoftware {
  bool attention = true, kernels = true, overlap = true;
};
// The same at another stage: fields of a job and searches alike choose a stage through this.
[[nodiscard]] Parallelism at_stage(Parallelism parallelism, int stage, const OpenSoftware& open);

}  // namespace sim::study
