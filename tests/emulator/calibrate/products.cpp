// SPDX-License-Identifier: Apache-2.0
// Matrix products in plain loops, in place of the libraries, in the memory of the emulated GPU.
#include "apps/calibrate/gpu/products.hpp"

#include <algorithm>

#include "apps/calibrate/gpu/operands.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;

// A matrix of float32 by rows, however its codes lie.
template <typename Code, typename ToFloat>
std::vector<float> by_rows(const void* codes, bool transposed, std::size_t rows,
                           std::size_t columns, ToFloat to_float) {
  const auto* const typed = static_cast<const Code*>(codes);
  std::vector<float> values(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      values[row * columns + column] =
          to_float(typed[transposed ? column * rows + row : row * columns + column]);
    }
  }
  return values;
}

template <typename Code, typename ToFloat>
void multiply(const Product& product, const void* a, const void* b, Bf16* c, ToFloat to_float) {
  const auto m = static_cast<std::size_t>(product.m), n = static_cast<std::size_t>(product.n),
             k = static_cast<std::size_t>(product.k);
  const auto left = by_rows<Code>(a, a_is_transposed(product), m, k, to_float);
  const auto right = by_rows<Code>(b, b_is_transposed(product), k, n, to_float);
  std::vector<float> sums(n);
  for (std::size_t row = 0; row < m; ++row) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t column = 0; column < n; ++column) {
        sums[column] += left[row * k + i] * right[i * n + column];
      }
    }
    std::transform(sums.begin(), sums.end(), c + row * n, codecs::to_bf16);
  }
}

}  // namespace

std::optional<Products> load_bf16_products(const std::string&) {
  return Products{
      .precision = Precision::bf16,
      .multiplier = "plain loops",
      .multiply = [](const Product& product, const void* a, const void* b, Bf16* c, cudaStream_t) {
        multiply<Bf16>(product, a, b, c, codecs::to_float);
      }};
}

std::optional<Products> load_fp8_products(const std::string&) {
  return Products{
      .precision = Precision::fp8,
      .multiplier = "plain loops",
      .multiply = [](const Product& product, const void* a, const void* b, Bf16* c, cudaStream_t) {
        multiply<std::uint8_t>(product, a, b, c,
                               [](std::uint8_t code) { return kFp8Scale * e4m3_to_float(code); });
      }};
}

}  // namespace calibrate
