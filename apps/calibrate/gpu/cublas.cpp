// SPDX-License-Identifier: Apache-2.0
// BF16 products by cuBLAS.
#include "codecs/cuda/cublas.hpp"

#include "apps/calibrate/gpu/products.hpp"

namespace calibrate {
namespace {

// cuBLAS is column-major: it computes C^T = B^T A^T.
codecs::cuda::MatrixProduct row_major(const Product& product, const void* a, const void* b,
                                      codecs::Bf16* c) {
  const auto& [m, n, k, pass] = product;
  const bool b_transposed = b_is_transposed(product), a_transposed = a_is_transposed(product);
  return {.rows = n,
          .columns = m,
          .inner = k,
          .left = {.values = b, .leading = b_transposed ? k : n, .transposed = b_transposed},
          .right = {.values = a, .leading = a_transposed ? m : k, .transposed = a_transposed},
          .product = c,
          .leading = n,
          .values = CUDA_R_16BF};
}

}  // namespace

std::optional<Products> load_bf16_products(const std::string& file) {
  const auto cublas = codecs::cuda::load_cublas(file);
  if (!cublas) return std::nullopt;
  return Products{
      .precision = Precision::bf16,
      .multiplier = "cuBLAS " + std::to_string(cublas->version),
      .multiply = [multiply = cublas->multiply](
                      const Product& product, const void* a, const void* b, codecs::Bf16* c,
                      cudaStream_t stream) { multiply(row_major(product, a, b, c), stream); }};
}

}  // namespace calibrate
