// SPDX-License-Identifier: Apache-2.0
// The roofline of one matrix product, by which times are carried from one GPU to another, and its tiles.
#pragma once

#include "sim/times/published.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

// Of C(m,n) = A(m,k) B(k,n).
struct ProductShape {
  double m = 0, n = 0, k = 0;
};

// Side of the smallest tile that cuBLAS typically chooses (NVIDIA, "Matrix Multiplication Background
// User's Guide", typical tile dimensions). Its other tiles are multiples: they waste as much or more.
inline constexpr double kLeastTile = 64;

// The size rounded up to whole tiles.
[[nodiscard]] double in_tiles(double size);

// A grouped product with each expert's rows rounded up to whole tiles; other operators as they are.
[[nodiscard]] Operator in_whole_tiles(Operator product);

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
