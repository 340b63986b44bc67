// SPDX-License-Identifier: Apache-2.0
// Matrix products of a library loaded at run time, so that the program also starts on a machine
// without it.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "codecs/bf16/bf16.hpp"

namespace calibrate {

// Row-major C (m x n) = A (m x k) B (k x n), in BF16 with FP32 accumulation. The pass determines
// the layout of A and B in memory: weights as (out, in), values as (token, feature), as in
// PyTorch's Linear.
enum class Pass { forward, input_gradient, weight_gradient };
struct Product {
  int m = 0, n = 0, k = 0;
  Pass pass = Pass::forward;
  friend auto operator<=>(const Product&, const Product&) = default;
};
[[nodiscard]] bool a_is_transposed(const Product& product);  // A lies as k x m
[[nodiscard]] bool b_is_transposed(const Product& product);  // B lies as n x k

enum class Precision { bf16, fp8 };          // of A and B; fp8 is E4M3, always with A and B^T
inline constexpr float kFp8Scale = 0x1p-4f;  // what a code of either operand is worth

struct Products {
  Precision precision = Precision::bf16;
  std::string multiplier;  // and its version
  // Operands have this precision. Throws CudaError if the library refuses.
  std::function<void(const Product&, const void* a, const void* b, codecs::Bf16* c, cudaStream_t)>
      multiply;
};

// Loads the library from the file, or from where the system finds it; nothing if it is missing or
// lacks the precision.
[[nodiscard]] std::optional<Products> load_bf16_products(const std::string& file);
[[nodiscard]] std::optional<Products> load_fp8_products(const std::string& file);

// Layers whose products are measured.
struct LayerShapes {
  std::vector<int> hidden{2048, 2560, 4096, 5120, 6144};  // GPT models from 1.3B to 18B parameters
  std::vector<int> parallel{1, 4, 8};                     // tensor-parallel ranks
  int tokens = 2048;
  int vocabulary = 50304;
};
// (in, out) of attention's two products, of the MLP's two and of the output embedding: forward,
// gradient of the input, of the weights.
[[nodiscard]] std::set<Product> products_of(const LayerShapes& layers);

}  // namespace calibrate
