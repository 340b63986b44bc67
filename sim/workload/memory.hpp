// SPDX-License-Identifier: Apache-2.0
// Peak memory of one GPU, by use: at the end of the forward pass, where the logits are, or in the
// backward pass of a layer.
#pragma once

#include <string>
#include <vector>

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Bytes. ZeRO's three stages (Rajbhandari et al. 1910.02054, figure 1) shard the optimizer, then
// the gradients, then the weights.
struct MemoryUse {
  // BF16; under ZeRO-3 the shards of the weights that the optimizer updates, FP32 ones as a rule.
  double weights = 0;
  double gradients = 0;  // the gradient buffer; under ZeRO-3 shards as the weights', or whole sums
  // Moments (Muon: one), and FP32 copies of BF16 `weights`, if any; none if hosts keep them.
  double optimizer = 0;
  // The same of experts to choose from.
  double expert_weights = 0, expert_gradients = 0, expert_optimizer = 0;
  // Kept for the backward passes of all micro-batches in flight (Korthikanti et al. 2205.05198,
  // table 2, less what is recomputed).
  double attention_activations = 0;
  double feed_forward_activations = 0;
  double head = 0;           // logits, and the loss's intermediate results
  double recomputed = 0;     // activations of one layer while it is recomputed
  double gathered = 0;       // ZeRO-3: whole weights of the units in use
  double buckets = 0;        // ZeRO-2 and 3: whole gradients on their way to their shards
  double codec = 0;          // state and buffers of a scheme's codecs
  double outer_state = 0;    // of training across several sites
  double fragmentation = 0;  // reserved by PyTorch's allocator besides what it has allocated
  double workspace = 0;      // of the CUDA context, NCCL and cuBLAS
  [[nodiscard]] double total() const;
  // What torch.cuda.max_memory_allocated() counts, and max_memory_reserved().
  [[nodiscard]] double allocated() const { return reserved() - fragmentation; }
  [[nodiscard]] double reserved() const { return total() - workspace; }
};

// Reserved memory over allocated memory, less 1: the median of 43 runs of Megatron-LM with PyTorch's
// caching allocator on B200, from 0.03 to 0.09 (SimuMax, docs/b200/b200_release_v1.2_summary.json
// @4dcaae5). Not fitted to any peak that `validate memory` counts.
inline constexpr double kFragmentation = 0.04;
// The same in words, as a report names what its fit assumes.
[[nodiscard]] std::string fit_source();
// Of memory to which parts were added.
void set_fragmentation(MemoryUse& use);

// A part by name, for listings.
struct MemoryPart {
  const char* name;  // "attention_activations"
  double MemoryUse::*bytes;
};
[[nodiscard]] const std::vector<MemoryPart>& memory_parts();

// Memory of a scheme's codecs, without the scratch of their kernels: up to about 4 bytes for each value of
// one call, as where error feedback or an addition is composed (codecs/codec.hpp).
struct CodecMemory {
  double buffers = 0;  // per parameter sent at once: outgoing and incoming wires
  double state = 0;    // per parameter of the rank's stage: residuals, secondary shards
  // The same of experts that lie on ranks of their own.
  double expert_buffers = 0, expert_state = 0;
};

// For the stage that needs most.
[[nodiscard]] MemoryUse memory_use(const Cluster& cluster, const Model& model,
                                   const Parallelism& parallelism, const CodecMemory& codec = {});

// Weights and optimizer of the whole model, each part once however many ranks hold it (but tied
// embeddings on both their stages): the bytes of a checkpoint. AdamW in FP32: 14 per
// parameter, and 12 under ZeRO-3, whose weights are the optimizer's.
[[nodiscard]] double trained_state_bytes(const Model& model, const Parallelism& parallelism);

// Bytes of the optimizer's state of one rank of a pipeline stage, wherever it is.
[[nodiscard]] double optimizer_bytes(const Cluster& cluster, const Model& model,
                                     const Parallelism& parallelism, int stage);

}  // namespace sim
