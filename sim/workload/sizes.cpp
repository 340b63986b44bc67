// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/sizes.hpp"

namespace sim {
namespace {

double weight_gradient_bytes(const Parallelism& p) {
  if (p.sharding.stage == 3) return 2;
  const double buffer = 2 * bytes_of(p.gradients);  // read and written
  // Megatron's product adds to the buffer; PyTorch's gradient is written, read and added.
  return p.kernels == Kernels::megatron ? buffer : 2 + 2 + buffer;
}

}  // namespace

Sizes sizes_of(const Model& model, const Parallelism& p) {
  const double t = p.tensor;
  const double tokens = static_cast<double>(p.micro_batch) * model.sequence;
  return {.tokens = tokens,
          .local_tokens = p.sequence_parallel ? tokens / t : tokens,
          .hidden = static_cast<double>(model.hidden),
          .heads = model.heads / t,
          .head_width = static_cast<double>(model.head_width),
          .key_value = static_cast<double>(key_width(model)) / t,
          .feed_forward = model.feed_forward / t,
          .rising = static_cast<double>(rising_widths(model)),
          .sequence = static_cast<double>(model.sequence),
          .samples = static_cast<double>(p.micro_batch),
          .weight_gradient_bytes = weight_gradient_bytes(p),
          .embedding_gradient_bytes =
              p.sharding.stage == 3 ? 2.0 : static_cast<double>(bytes_of(p.gradients)),
          .positions = model.positions,
          .biases = model.biases,
          .norm = model.norm,
          .query_key_norm = model.query_key_norm,
          .grouped = model.kv_heads < model.heads,
          .dropout = model.dropout,
          .copies_sequences = splits_by_dtensor(p) && !p.overlap.tensor,
          .attention = p.attention,
          .kernels = p.kernels,
          .casts = p.casts,
          .matrices = p.matrices,
          .gathers_matrices = p.gathers_matrices};
}

}  // namespace sim
