// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/cublas.hpp"

#include <cublas_v2.h>

#include <memory>

#include "codecs/cuda/library.hpp"

namespace codecs::cuda {
namespace {

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                  "/usr/local/cuda/lib64/libcublas.so"};

// cublas_v2.h overloads the name, so its address needs a type.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType, int, const void*,
                                  cudaDataType, int, const void*, void*, cudaDataType, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);

void require_ok(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw CudaError(std::string(what) + ": cuBLAS status " + std::to_string(status));
  }
}

cublasOperation_t operation(const MatrixOperand& operand) {
  return operand.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

class Handle {
 public:
  explicit Handle(void* library)
      : gemm_(symbol<GemmEx>(library, "cublasGemmEx")),
        set_stream_(symbol<decltype(&cublasSetStream_v2)>(library, "cublasSetStream_v2")),
        destroy_(symbol<decltype(&cublasDestroy_v2)>(library, "cublasDestroy_v2")) {
    require_ok(symbol<decltype(&cublasCreate_v2)>(library, "cublasCreate_v2")(&handle_),
               "cublasCreate");
    require_ok(
        symbol<decltype(&cublasGetVersion_v2)>(library, "cublasGetVersion_v2")(handle_, &version_),
        "cublasGetVersion");
  }
  ~Handle() { destroy_(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] int version() const { return version_; }

  void multiply(const MatrixProduct& of, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    require_ok(set_stream_(handle_, stream), "cublasSetStream");
    require_ok(gemm_(handle_, operation(of.left), operation(of.right), of.rows, of.columns,
                     of.inner, &one, of.left.values, of.values, of.left.leading, of.right.values,
                     of.values, of.right.leading, &zero, of.product, of.values, of.leading,
                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
               "cublasGemmEx");
  }

 private:
  GemmEx gemm_;
  decltype(&cublasSetStream_v2) set_stream_;
  decltype(&cublasDestroy_v2) destroy_;
  cublasHandle_t handle_ = nullptr;
  int version_ = 0;
};

}  // namespace

std::optional<Cublas> load_cublas(const std::string& file) {
  void* const library = open_library(file, kNames);
  if (library == nullptr) return std::nullopt;
  const auto handle = std::make_shared<const Handle>(library);
  return Cublas{.version = handle->version(),
                .multiply = [handle](const MatrixProduct& product, cudaStream_t stream) {
                  handle->multiply(product, stream);
                }};
}

}  // namespace codecs::cuda
