// SPDX-License-Identifier: Apache-2.0
#include "sim/study/software.hpp"

namespace sim::study {

Parallelism at_stage(Parallelism p, int stage, const OpenSoftware& open) {
  const bool fsdp = stage == 3;
  p.sharding.stage = stage;
  if (open.attention) p.attention = fsdp ? Attention::fused : Attention::unfused;
  if (open.kernels) p.kernels = fsdp ? Kernels::eager : Kernels::megatron;
  if (open.overlap) p.overlap = {.gradients = fsdp, .weights = fsdp};
  return p;
}

}  // namespace sim::study
