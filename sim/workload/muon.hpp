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
//
// A rank orthogonalises the matrices that it owns. Whole matrices are dealt to the N ranks that
// share a set of shards, the slowest matrices first, each to the least loaded rank; the step waits
// for the most loaded rank. With t_i the times of the matrices, its load is
//
//   at least max(sum t_i / N, max t_i)    at most sum t_i / N + max t_i
//   of n equal matrices ceil(n / N), so with more ranks than matrices one
//
// and never more where ranks are added: a matrix goes to the rank with least, so that the times of
// N + 1 ranks, the longest first, stay no longer than those of N, one matrix after the other.
#pragma once

#include <vector>

#include "sim/workload/model.hpp"
#include "sim/workload/operators.hpp"
#include "sim/workload/parallelism.hpp"
#include "sim/workload/roofline.hpp"

namespace sim {

// Parameters that Muon updates on the rank of a stage: all of its matrices, or none.
[[nodiscard]] double updated_by_muon(const Parallelism& parallelism, const StageParameters& held);

// The orthogonalisation of one matrix, by the products and passes into which torch.compile turns
// Jordan's code.
[[nodiscard]] Operators newton_schulz(double rows, double columns);

// The orthogonalisations of the most loaded rank, over the matrices of `layers` layers.
struct OwnedMatrices {
  BlockTime time;
  double parameters = 0;
};
[[nodiscard]] OwnedMatrices most_owned(const Model& model, int layers, int ranks,
                                       const Roofline& roofline);

}  // namespace sim
