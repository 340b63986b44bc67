// Memory of one GPU, by what holds it, when it holds most: at the end of the forward pass, where
// the logits are, or in the backward pass of a layer.
#pragma once

#include <string>
#include <vector>

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Bytes. ZeRO's three stages (Rajbhandari et al. 1910.02054, figure 1) shard the optimizer, then
// the gradients, then the weights.
struct MemoryUse {
  double weights = 0;    // BF16; under ZeRO-3 the FP32 weights' shards, cast when they are gathered
  double gradients = 0;  // the gradient buffer; under ZeRO-3 FP32 shards
  double optimizer = 0;  // moments, of Muon one, and FP32 weights where `weights` are BF16
  // Kept for the backward passes of all micro-batches in flight (Korthikanti et al. 2205.05198,
  // table 2, and what recomputation leaves of it).
  double attention_activations = 0;
  double feed_forward_activations = 0;
  double head = 0;         // logits, and what the loss makes of them
  double recomputed = 0;   // activations of one layer, once it is computed again
  double gathered = 0;     // ZeRO-3: whole weights of the units under way
  double buckets = 0;      // ZeRO-2 and 3: whole gradients on their way to their shards
  double codec = 0;        // that a scheme's codecs keep, send from and receive into
  double outer_state = 0;  // of training over several sites
  double workspace = 0;    // of the CUDA context, NCCL and cuBLAS
  [[nodiscard]] double total() const;
};

// A part of it by name, for those that list them.
struct MemoryPart {
  const char* name;  // "attention_activations"
  double MemoryUse::*bytes;
};
[[nodiscard]] const std::vector<MemoryPart>& memory_parts();

// What a scheme's codecs add.
struct CodecMemory {
  double buffers = 0;  // for each parameter that is sent at once: wires that leave and arrive
  double state = 0;    // for each parameter that the rank's stage has: residuals, second shards
};

// Of the stage that needs most.
[[nodiscard]] MemoryUse memory_use(const Cluster& cluster, const Model& model,
                                   const Parallelism& parallelism, const CodecMemory& codec = {});

// A job whose memory is asked for.
struct MemoryJob {
  const Cluster& cluster;
  const Model& model;
  const Parallelism& parallelism;
  CodecMemory codec = {};
};
// Changes of flags with which the job needs no more than `capacity_bytes`: "--zero 3 (31.2 GB)". The
// single ones that do; where none does, what saves most, one after the other, until it fits; nothing
// where that is not enough.
[[nodiscard]] std::vector<std::string> what_would_fit(const MemoryJob& job, double capacity_bytes);

}  // namespace sim
