// PowerSGD's exchange (arXiv 1905.13727, algorithms 1 and 2), of every matrix whose factors are less
// than half of it; vectors travel as they are:
//
//   codec      [P = M Q]              [Q = M^T P]              [P Q^T, residual]
//   gradients  [all_reduce vectors]   [all_reduce P]           [all_reduce Q]
#pragma once

#include "sim/schemes/step.hpp"

namespace sim {

inline constexpr double kFp32Bytes = 4;  // factors are sums in FP32

// What a rank has of a bucket's parameters, matrix by matrix.
struct Factors {
  double matrices = 0;  // parameters that travel as factors
  double vectors = 0;   // that travel as they are
  double rows = 0;      // of all factors P together, and of all Q, times the rank: values
  double columns = 0;
};
[[nodiscard]] Factors factors_of(const Model& model, const Parallelism& parallelism, int stage,
                                 const Bucket& bucket, int factor_rank);

// Of the bucket's gradients once the compute stream is where it is now.
void reduce_low_rank(Step& step, const Communicator& group, int stage, const Bucket& bucket);

}  // namespace sim
