// SPDX-License-Identifier: Apache-2.0
// Operators: the computation of one rank, kernel by kernel, as matrix products and memory passes.
#pragma once

#include <string_view>
#include <vector>

#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// What a kernel does, by which a table of published times finds it.
enum class Work { other, product, attention, norm, activation, rotation, loss, cast };
// Of a layer's backward pass: the gradients of its inputs, or of its weights.
enum class Gradient { none, inputs, weights };

// One or more launches of one kernel. A matrix product is `count` times (m x k)(k x n).
struct Operator {
  std::string_view name;
  double m = 0, n = 0, k = 0;
  double count = 1;
  double bytes = 0;  // read and written in GPU memory, all counts together
  double launches = 1;
  MatrixPrecision precision = MatrixPrecision::bf16;  // of its operands
  Work work = Work::other;
  Gradient gradient = Gradient::none;
  Kernels kernels = Kernels::megatron;  // of norms: who wrote the kernel
  // Of fused attention: the kernel, the width of a head, tokens of all heads and sequences, and the
  // share of flop() below the diagonal.
  Attention attention = Attention::unfused;
  double head_width = 0, queries = 0, useful = 1;

  [[nodiscard]] double flop() const { return 2 * m * n * k * count; }
  [[nodiscard]] bool fused_attention() const { return is_fused(attention); }
};
using Operators = std::vector<Operator>;

// The operators of one layer on one rank and one micro-batch, split where tensor parallelism
// communicates. `*_inputs` end with a gradient that an all_reduce then sums, and begin with the
// backward pass of the norm that follows in the forward pass, which needs the previous sum;
// `*_weights` may run beside the all_reduce.
struct LayerOperators {
  Operators attention;             // forward: norm to output projection
  Operators feed_forward;          // forward: residual and norm to the block's second matrix
  Operators recompute;             // recomputed in the backward pass
  Operators feed_forward_inputs;   // backward, to the gradient of the block's input
  Operators feed_forward_weights;  // backward, gradient of its first matrix
  Operators attention_inputs;
  Operators attention_weights;
};
[[nodiscard]] LayerOperators layer_operators(const Model& model, const Parallelism& parallelism);

// Operators of the first and the last stage besides their layers.
struct EndOperators {
  Operators embedding;  // forward, first stage
  Operators embedding_backward;
  Operators head;  // forward: final norm, logits and loss, last stage
  Operators head_backward;
};
[[nodiscard]] EndOperators end_operators(const Model& model, const Parallelism& parallelism);

}  // namespace sim
