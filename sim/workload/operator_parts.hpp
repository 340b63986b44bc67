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

// One linear layer, n outputs from k inputs for m tokens, with the casts of its precision.
struct Linear {
  std::string_view forward, inputs, weights, cast;  // names of its products and casts
  double m = 0, n = 0, k = 0;
};
void add_linear(const Sizes& sizes, const Linear& linear, Operators& into);
void add_linear_inputs(const Sizes& sizes, const Linear& linear, Operators& into);
// For BF16 layers too: the gradient of a weight (n x k) from m tokens.
[[nodiscard]] Operator weight_gradient(const Sizes& sizes, std::string_view name, double m,
                                       double n, double k);
[[nodiscard]] Operator linear_weights(const Sizes& sizes, const Linear& linear);

void add_norm(const Sizes& sizes, Operators& into);
void add_norm_backward(const Sizes& sizes, Operators& into);
void add_residual(const Sizes& sizes, Operators& into);
void add_residual_backward(const Sizes& sizes, Operators& into);
void add_activation(const Sizes& sizes, Operators& into);
void add_activation_backward(const Sizes& sizes, Operators& into);
// Between the projections and the attention core: biases, norms, rotations, copies for head groups.
void add_projected(const Sizes& sizes, Operators& into);
void add_projected_backward(const Sizes& sizes, Operators& into);
void add_attention_core(const Sizes& sizes, Operators& into);
void add_attention_core_backward(const Sizes& sizes, Operators& into);

}  // namespace sim
