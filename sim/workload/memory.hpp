// Memory of one GPU, by what holds it, for Megatron's distributed optimizer.
#pragma once

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

struct MemoryUse {
  double weights = 0;    // BF16, whole on every replica
  double gradients = 0;  // the gradient buffer
  double optimizer = 0;  // FP32 master weights and two moments, sharded over the replicas
  double activations =
      0;               // of all micro-batches in flight (Korthikanti et al. 2205.05198, table 2)
  double logits = 0;   // of the last stage, BF16 and FP32
  double buffers = 0;  // that a scheme sends from and receives into
  [[nodiscard]] double total() const {
    return weights + gradients + optimizer + activations + logits + buffers;
  }
};

// Of the stage that needs most. `buffer_bytes_per_parameter` is what the scheme adds.
[[nodiscard]] MemoryUse memory_use(const Cluster& cluster, const Model& model,
                                   const Parallelism& parallelism,
                                   double buffer_bytes_per_parameter);

}  // namespace sim
