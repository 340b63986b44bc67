// SPDX-License-Identifier: Apache-2.0
// Operands of matrix products, known to the host. Normal values: a GPU that multiplies zeros draws
// less power and runs faster than it ever does in training.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/calibrate/gpu/products.hpp"
#include "apps/calibrate/gpu/workspace.hpp"

namespace calibrate {

// OCP FP8: bias 7, no infinity, NaN where all bits but the sign are set.
[[nodiscard]] float e4m3_to_float(std::uint8_t code);
// Rounds to nearest and saturates; not for NaN.
[[nodiscard]] std::uint8_t to_e4m3(float value);

// Room for the operands of rotating launches, each at another place of one pattern.
class Operands {
 public:
  // `cache_bytes`: the bytes that the launches must evict.
  Operands(Precision precision, const std::set<Product>& products, std::size_t cache_bytes);

  void multiply(const Products& products, const Product& product, std::size_t launch,
                cudaStream_t stream) const;
  // Whether some entries of launch 0's result equal those computed in float64.
  [[nodiscard]] bool agrees(const Product& product) const;

 private:
  [[nodiscard]] std::size_t offset(std::size_t launch, bool second) const;
  [[nodiscard]] const void* at(std::size_t offset) const;
  [[nodiscard]] double value(std::size_t index) const;
  [[nodiscard]] bool entry_agrees(const Product& product, std::size_t row,
                                  std::size_t column) const;

  Precision precision_;
  std::size_t largest_;  // elements of an operand or a result
  std::size_t room_;     // elements; a multiple of kStep more than the largest
  std::vector<codecs::Bf16> bf16_pattern_;
  std::vector<std::uint8_t> fp8_pattern_;
  std::unique_ptr<Ring<codecs::Bf16>> bf16_;
  std::unique_ptr<Ring<std::uint8_t>> fp8_;
  Ring<codecs::Bf16> result_;
};

}  // namespace calibrate
