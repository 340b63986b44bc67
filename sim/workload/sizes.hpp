// SPDX-License-Identifier: Apache-2.0
// Sizes of one micro-batch on one rank, and its software: the basis for counting operators and the
// memory that they leave. Internal to those.
#pragma once

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

struct Sizes {
  double tokens, local_tokens;  // local: as seen by norms, dropouts and residuals
  double hidden, heads, head_width, key_value, feed_forward, rising, sequence, samples;
  // Bytes moved per element by a weight's gradient once it is summed: written in BF16, and added to
  // a buffer of the whole gradient if there is one.
  double weight_gradient_bytes;
  double embedding_gradient_bytes;  // per element of the buffer of embedding gradients
  Model::Positions positions;
  Model::Biases biases;
  Model::Norm norm;
  bool query_key_norm, grouped, dropout;
  // What tensor-parallel ranks gather or scatter: Stack::dtensor. Where that overlaps, products take the
  // parts as they come (torch.distributed._symmetric_memory).
  bool copies_sequences;
  Attention attention;
  Kernels kernels;
  Casts casts;
  MatrixPrecision matrices;
  bool gathers_matrices;  // weights arrive in the precision of the matrix products

  [[nodiscard]] bool fused() const { return is_fused(attention); }
  [[nodiscard]] double width() const { return heads * head_width; }  // of queries
  [[nodiscard]] double projected() const { return width() + 2 * key_value; }
  // Bytes of BF16 activations: of one hidden state per token, and of one feed-forward width.
  [[nodiscard]] double activations() const { return 2 * local_tokens * hidden; }
  [[nodiscard]] double wide() const { return 2 * tokens * feed_forward; }
  [[nodiscard]] double scores() const { return 2 * samples * heads * sequence * sequence; }
  [[nodiscard]] double queries_and_keys() const { return 2 * tokens * (width() + key_value); }
  [[nodiscard]] double projections() const { return 2 * tokens * projected(); }
  [[nodiscard]] bool any_biases() const { return biases != Model::Biases::none; }
  [[nodiscard]] bool all_biases() const { return biases == Model::Biases::all; }
  // PyTorch's own RMSNorm and SwiGLU take several kernels each and write the results in between.
  [[nodiscard]] bool eager_norm() const {
    return kernels == Kernels::eager && norm == Model::Norm::rms_norm;
  }
  [[nodiscard]] bool eager_gate() const { return kernels == Kernels::eager && rising > 1; }
};
[[nodiscard]] Sizes sizes_of(const Model& model, const Parallelism& parallelism);

}  // namespace sim
