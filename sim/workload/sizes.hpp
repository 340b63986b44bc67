// Sizes of one micro-batch on one rank, and the software: what its operators and what they leave in
// memory are counted from. Internal to those.
#pragma once

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

struct Sizes {
  double tokens, local_tokens;  // local: what norms, dropouts and residuals see
  double hidden, heads, head_width, key_value, feed_forward, rising, sequence, samples;
  // Bytes that a weight's gradient moves for each element, once it is summed: written in BF16; where
  // a buffer of the whole gradient is kept, added to that.
  double weight_gradient_bytes;
  double embedding_gradient_bytes;  // of one element of what embeddings' gradients are added to
  Model::Positions positions;
  Model::Biases biases;
  Model::Norm norm;
  bool query_key_norm, grouped, dropout, fused;
  Kernels kernels;
  MatrixPrecision matrices;
  bool gathers_matrices;  // weights arrive in the products' precision

  [[nodiscard]] double width() const { return heads * head_width; }  // of queries
  [[nodiscard]] double projected() const { return width() + 2 * key_value; }
  // Bytes of BF16 activations: of one state of the tokens, and of one feed-forward width.
  [[nodiscard]] double activations() const { return 2 * local_tokens * hidden; }
  [[nodiscard]] double wide() const { return 2 * tokens * feed_forward; }
  [[nodiscard]] double scores() const { return 2 * samples * heads * sequence * sequence; }
  [[nodiscard]] double queries_and_keys() const { return 2 * tokens * (width() + key_value); }
  [[nodiscard]] double projections() const { return 2 * tokens * projected(); }
  [[nodiscard]] bool any_biases() const { return biases != Model::Biases::none; }
  [[nodiscard]] bool all_biases() const { return biases == Model::Biases::all; }
  // PyTorch's own RMSNorm and SwiGLU are several kernels each, which leave what is between them.
  [[nodiscard]] bool eager_norm() const {
    return kernels == Kernels::eager && norm == Model::Norm::rms_norm;
  }
  [[nodiscard]] bool eager_gate() const { return kernels == Kernels::eager && rising > 1; }
};
[[nodiscard]] Sizes sizes_of(const Model& model, const Parallelism& parallelism);

}  // namespace sim
