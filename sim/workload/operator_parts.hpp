// What layers are made of: matrix products, attention, and passes over activations, as the software
// that runs them launches them. Internal to the operators.
#pragma once

#include "sim/workload/operators.hpp"

namespace sim {

// Sizes of one micro-batch on one rank, and the software.
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
};
[[nodiscard]] Sizes sizes_of(const Model& model, const Parallelism& parallelism);

[[nodiscard]] Operator memory_pass(std::string_view name, double bytes, double launches = 1);
// (m x k)(k x n) in BF16.
[[nodiscard]] Operator gemm(std::string_view name, double m, double n, double k);

// One linear layer, n outputs of k inputs for m tokens, with the casts that its precision needs.
struct Linear {
  std::string_view forward, inputs, weights, cast;  // names of its products and of its casts
  double m = 0, n = 0, k = 0;
};
void add_linear(const Sizes& sizes, const Linear& linear, Operators& into);
void add_linear_inputs(const Sizes& sizes, const Linear& linear, Operators& into);
// Of BF16 layers too: the gradient of a weight (n x k) from m tokens.
[[nodiscard]] Operator weight_gradient(const Sizes& sizes, std::string_view name, double m,
                                       double n, double k);
[[nodiscard]] Operator linear_weights(const Sizes& sizes, const Linear& linear);

void add_norm(const Sizes& sizes, Operators& into);
void add_norm_backward(const Sizes& sizes, Operators& into);
void add_residual(const Sizes& sizes, Operators& into);
void add_residual_backward(const Sizes& sizes, Operators& into);
void add_activation(const Sizes& sizes, Operators& into);
void add_activation_backward(const Sizes& sizes, Operators& into);
// Between the projections and the attention core: biases, norms, rotations, copies for groups.
void add_projected(const Sizes& sizes, Operators& into);
void add_projected_backward(const Sizes& sizes, Operators& into);
void add_attention_core(const Sizes& sizes, Operators& into);
void add_attention_core_backward(const Sizes& sizes, Operators& into);

}  // namespace sim
