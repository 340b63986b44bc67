// SPDX-License-Identifier: Apache-2.0
// What PowerSGD sends: the factors of matrices, and vectors.
#pragma once

#include "sim/program/lay_out.hpp"

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

}  // namespace sim
