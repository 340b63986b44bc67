// SPDX-License-Identifier: Apache-2.0
// The roofline of one matrix product, by which times are carried from one GPU to another.
#pragma once

#include "sim/times/published.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

// Of C(m,n) = A(m,k) B(k,n).
struct ProductShape {
  double m = 0, n = 0, k = 0;
};

// FLOP/s at a precision, and bytes/s.
struct ProductRates {
  double peak = 0, memory = 0;
};

[[nodiscard]] ProductRates rates_of(const PublishedProducts& table, MatrixPrecision precision);
[[nodiscard]] ProductRates rates_of(const Gpu& gpu, MatrixPrecision precision);

// The longer of FLOP over the peak and bytes over the memory bandwidth, in seconds.
[[nodiscard]] double bound(const ProductShape& shape, MatrixPrecision precision,
                           const ProductRates& rates);

}  // namespace sim
