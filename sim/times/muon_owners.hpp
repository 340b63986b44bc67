// SPDX-License-Identifier: Apache-2.0
// Which ranks orthogonalise which matrices under Muon (sim/workload/muon.hpp).
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

#include <span>

#include "sim/times/roofline.hpp"
#include "sim/workload/matrices.hpp"

namespace sim {

// The orthogonalisations of the most loaded rank, over these matrices.
struct OwnedMatrices {
  BlockTime time;
  double parameters = 0;
};
[[nodiscard]] OwnedMatrices most_owned(std::span<const MatrixShape> matrices, int ranks,
                                       const Roofline& roofline);

}  // namespace sim
