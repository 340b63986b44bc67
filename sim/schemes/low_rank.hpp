// SPDX-License-Identifier: Apache-2.0
// PowerSGD's exchange (arXiv 1905.13727, algorithms 1 and 2) of every matrix whose factors are less
// than half its size; vectors travel uncompressed:
//
//   codec      [P = M Q]              [Q = M^T P]              [P Q^T, residual]
//   gradients  [all_reduce vectors]   [all_reduce P]           [all_reduce Q]
#pragma once

#include "sim/schemes/step.hpp"

namespace sim {

inline constexpr double kFp32Bytes = 4;  // factors are sums in FP32

// A rank's part of a bucket's parameters, by matrices and vectors.
struct Factors {
  double matrices = 0;  // parameters that travel as factors
  double vectors = 0;   // that travel uncompressed
  double rows = 0;      // of all factors P, and of all Q, times the rank: values
  double columns = 0;
};
[[nodiscard]] Factors factors_of(const Model& model, const Parallelism& parallelism, int stage,
                                 const Bucket& bucket, int factor_rank);

// Exchanges the bucket's gradients from the compute stream's current position on.
void reduce_low_rank(Step& step, const Communicator& group, int stage, const Bucket& bucket);

}  // namespace sim
