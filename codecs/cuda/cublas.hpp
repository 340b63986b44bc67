// SPDX-License-Identifier: Apache-2.0
// Matrix products on the GPU by cuBLAS, loaded at run time: programs also start on machines without
// it.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <functional>
#include <optional>
#include <string>

namespace codecs::cuda {

// Matrices are column-major, as in BLAS, so a row-major matrix counts as its transpose. `leading`
// is the distance between columns.
struct MatrixOperand {
  const void* values = nullptr;
  int leading = 0;
  bool transposed = false;  // before the product
};

// rows x columns = left (rows x inner) right (inner x columns), accumulated in float32.
struct MatrixProduct {
  int rows = 0;
  int columns = 0;
  int inner = 0;
  MatrixOperand left = {};
  MatrixOperand right = {};
  void* product = nullptr;
  int leading = 0;                     // of the product
  cudaDataType_t values = CUDA_R_32F;  // of all three
};

// Enqueues a product on a stream.
using Multiply = std::function<void(const MatrixProduct&, cudaStream_t)>;

struct Cublas {
  int version = 0;
  Multiply multiply;
};

// cuBLAS from the file, or without a file from the usual places; nothing if it is not found. The
// handle belongs to the device that is current now; only one thread at a time may call `multiply`.
[[nodiscard]] std::optional<Cublas> load_cublas(const std::string& file = {});

}  // namespace codecs::cuda
