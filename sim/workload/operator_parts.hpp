// SPDX-License-Identifier: Apache-2.0
// The parts of layers: matrix products, attention, and passes over activations, as launched by the
// training software. Internal to the operators.
#pragma once

#include "sim/workload/operators.hpp"
#include "sim/workload/sizes.hpp"

namespace sim {

[[nodiscard]] Operator memory_pass(std::string_view name, double bytes, double launches = 1,
                                   Work work = Work::other);
// (m x k)(k x n) in BF16.
[[nodiscard]] Operator gemm(std::string_view name, double m, double n, double k,
                            Gradient gradient = Gradient::none);

// One linear layer, n outputs from k inputs for m tokens, with the casts of its precision; or so many
// that differ in their weights, of m tokens each.
struct Linear {
  std::string_view forward, inputs, weights, cast;  // names of its products and casts
  double m = 0, n = 0, k = 0;
  double count = 1;
  double in_turn = 1;  // Operator::in_turn, of all but the gradient of its weights
};
void add_linear(const Sizes& sizes, const Linear& linear, Operators& into);
void add_linear_inputs(const Sizes& sizes, const Linear& linear, Operators& into);
// For BF16 layers too: the gradient of a weight (n x k) from m tokens.
[[nodiscard]] Operator weight_gradient(const Sizes& sizes, const Linear& linear);
[[nodiscard]] Operator linear_weights(const Sizes& sizes, const Linear& linear);

// In the order in which they run forward.
using Linears = std::vector<Linear>;

void add_norm(const Sizes& sizes, Operators& into);
void add_norm_backward(const Sizes& sizes, Operators& into);
// Of so many bytes in place of a hidden state of each token.
[[nodiscard]] Operator other_norm(const Sizes& sizes, std::string_view name, double bytes,
                                  Gradient gradient = Gradient::none);
void add_residual(const Sizes& sizes, Operators& into);
// `bias`: of what is added to the residual.
void add_residual_backward(const Sizes& sizes, bool bias, Operators& into);
// Between a block's products, of so many bytes for each width.
void add_activation(const Sizes& sizes, double wide, Operators& into);
void add_activation_backward(const Sizes& sizes, double wide, Operators& into);
// Products that take the parts of ranks as they come, or make them as they go: Sizes::parts_in_turn.
[[nodiscard]] Linears in_parts(const Sizes& sizes, Linears linears);
// Of what ranks gathered along sequences, or of what they are about to scatter.
void add_gathered_copy(const Sizes& sizes, Operators& into);
void add_scattered_copy(const Sizes& sizes, Operators& into);

// One of a layer's blocks, from its norm to its residual:
//
//   norm ► enter ► products in ► prepare ► core ► products out ► leave ► residual
//
// Where rows go to experts on other ranks, these are products of what came, and around them is what each
// rank does with its own tokens:
//
//   norm ► enter ► first products ►|► arrange ► ... ► rearrange ►|► last products ► leave ► residual
//
// Each part's backward operators run in the opposite order.
struct BlockParts {
  std::string_view block;          // "attention"
  std::string_view before, after;  // names of what is up to the core, and from it on
  // Where ranks may exchange around the core.
  Point at_core = Point::inside_layer, behind_core = Point::inside_layer;
  Point before_core_backward = Point::inside_layer, behind_core_backward = Point::inside_layer;
  bool adds_bias = false;   // to what leads back to the hidden state
  bool dispatched = false;  // rows go to other ranks
  bool gathers = true;  // reads what tensor-parallel ranks gathered, not the rank's own part alone
  Operators enter, prepare, core, leave;
  Linears in, out;
  Operators enter_backward, prepare_backward, core_backward, leave_backward;
  // What runs beside an exchange before the core.
  Operators beside_core, beside_core_backward;
  // Of what is dispatched:
  Operators arrange, rearrange;
  Linears first, last;
  // Of what every token passes, beside what goes out and comes back.
  Linears beside_in, beside_out;
  Operators beside_activation, beside_activation_backward;
  // What alternate recomputation repeats: every second product.
  Linears again_in, again_out;
  [[nodiscard]] bool is_attention() const { return at_core == Point::inside_attention; }
};
[[nodiscard]] BlockParts attention_parts(const Sizes& sizes);
[[nodiscard]] BlockParts mamba_parts(const Sizes& sizes);
// Dense, or of experts.
[[nodiscard]] BlockParts feed_forward_parts(const Sizes& sizes);

}  // namespace sim
