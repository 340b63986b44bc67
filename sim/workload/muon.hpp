// SPDX-License-Identifier: Apache-2.0
// Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon): the optimizer of the layers' weight
// matrices. Embedding, head, norms and biases take AdamW.
//
// A matrix's momentum X, r x c with r <= c, is orthogonalised whole, in BF16. X is divided by its
// norm; then come five iterations of Newton and Schulz,
//
//   A = X X^T     B = b A + c A^2     X = a X + B X
//
// whose products are 2 r^2 c, 2 r^3 and 2 r^2 c: 5 (4 r^2 c + 2 r^3) FLOP in all.
#pragma once

#include "sim/workload/model.hpp"
#include "sim/workload/operators.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Parameters that Muon updates on the rank of a stage: all of its matrices, or none.
[[nodiscard]] double updated_by_muon(const Parallelism& parallelism, const GroupParameters& held);

// The orthogonalisation of one matrix, by the products and passes into which torch.compile turns
// Jordan's code.
[[nodiscard]] Operators newton_schulz(double rows, double columns);

}  // namespace sim
