// SPDX-License-Identifier: Apache-2.0
#include "sim/times/product_shape.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sim {
namespace {

double peak_of(MatrixPrecision precision, double bf16, std::optional<FlopRate> fp8,
               std::optional<FlopRate> fp4) {
  if (precision == MatrixPrecision::bf16) return bf16;
  const auto narrow = precision == MatrixPrecision::nvfp4 ? fp4 : fp8;
  return narrow ? narrow->base() : bf16;
}

}  // namespace

double in_tiles(double size) { return std::ceil(size / kLeastTile) * kLeastTile; }

Operator in_whole_tiles(Operator product) {
  if (product.work != Work::grouped) return product;
  double& rows = product.gradient == Gradient::weights ? product.k : product.m;
  rows = in_tiles(rows);
  return product;
}

ProductRates rates_of(const PublishedProducts& table, MatrixPrecision precision) {
  return {peak_of(precision, table.bf16.base(), table.fp8, table.fp4),
          table.memory_bandwidth.base()};
}

ProductRates rates_of(const Gpu& gpu, MatrixPrecision precision) {
  return {peak_of(precision, gpu.bf16.base(), gpu.fp8, gpu.fp4), gpu.memory_bandwidth.base()};
}

double bound(const ProductShape& shape, MatrixPrecision precision, const ProductRates& rates) {
  const auto& [m, n, k] = shape;
  const double bytes = bytes_of(precision) * (m * k + k * n) + 2 * m * n;
  return std::max(2 * m * n * k / rates.peak, bytes / rates.memory);
}

}  // namespace sim
