// SPDX-License-Identifier: Apache-2.0
// Matrix products by the host, of matrices in device memory: for PowerSGD where there is no cuBLAS.
#pragma once

#include <utility>
#include <vector>

#include "codecs/cuda/cublas.hpp"
#include "codecs/cuda/error.hpp"
#include "codecs/cuda/resources.hpp"

namespace codecs::cuda {

inline std::vector<float> host_values(const void* values, std::size_t count) {
  std::vector<float> host(count);
  check(cudaMemcpy(host.data(), values, count * sizeof(float), cudaMemcpyDeviceToHost));
  return host;
}

// Entry (row, column) of a matrix that lies column after column, or of its transpose.
inline std::size_t place(const MatrixOperand& operand, int row, int column) {
  const auto [r, c] = operand.transposed ? std::pair(column, row) : std::pair(row, column);
  return static_cast<std::size_t>(c) * static_cast<std::size_t>(operand.leading) +
         static_cast<std::size_t>(r);
}

inline void multiply_on_host(const MatrixProduct& of, cudaStream_t stream) {
  check(cudaStreamSynchronize(stream));
  const auto left = host_values(of.left.values, place(of.left, of.rows - 1, of.inner - 1) + 1);
  const auto right =
      host_values(of.right.values, place(of.right, of.inner - 1, of.columns - 1) + 1);
  const MatrixOperand to{.leading = of.leading};
  std::vector<float> product(place(to, of.rows - 1, of.columns - 1) + 1);
  for (int column = 0; column < of.columns; ++column) {
    for (int row = 0; row < of.rows; ++row) {
      float& sum = product[place(to, row, column)];
      for (int i = 0; i < of.inner; ++i) {
        sum += left[place(of.left, row, i)] * right[place(of.right, i, column)];
      }
    }
  }
  upload(std::span<const float>(product), static_cast<float*>(of.product));
}

}  // namespace codecs::cuda
