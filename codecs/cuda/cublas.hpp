// Products of matrices on the GPU by cuBLAS, which is loaded at run time: programs start on
// machines without it.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <functional>
#include <string>

namespace codecs::cuda {

// Matrices are column after column, as BLAS has them, so a matrix that is row after row counts as
// its transpose. `leading` is the distance between columns.
struct MatrixOperand {
  const void* values = nullptr;
  int leading = 0;
  bool transposed = false;  // before the product
};

// rows x columns = left (rows x inner) right (inner x columns), summed up in float32.
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

// cuBLAS of the file, or without one of the usual places; null where there is none. Copies share a
// handle of the device that is current now: products of one handle are for one thread.
[[nodiscard]] Multiply cublas_products(const std::string& file = {});

}  // namespace codecs::cuda
