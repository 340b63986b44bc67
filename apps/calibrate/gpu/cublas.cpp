// BF16 products by cuBLAS.
#include <cublas_v2.h>

#include <memory>

#include "apps/calibrate/gpu/library.hpp"
#include "apps/calibrate/gpu/products.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                  "/usr/local/cuda/lib64/libcublas.so"};

// cublas_v2.h overloads the name, so its address needs a type.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType, int, const void*,
                                  cudaDataType, int, const void*, void*, cudaDataType, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);

void require_ok(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw codecs::cuda::CudaError(std::string(what) + ": cuBLAS status " + std::to_string(status));
}

class Cublas {
 public:
  explicit Cublas(void* library)
      : gemm_(symbol<GemmEx>(library, "cublasGemmEx")),
        set_stream_(symbol<decltype(&cublasSetStream_v2)>(library, "cublasSetStream_v2")),
        destroy_(symbol<decltype(&cublasDestroy_v2)>(library, "cublasDestroy_v2")) {
    require_ok(symbol<decltype(&cublasCreate_v2)>(library, "cublasCreate_v2")(&handle_),
               "cublasCreate");
    require_ok(
        symbol<decltype(&cublasGetVersion_v2)>(library, "cublasGetVersion_v2")(handle_, &version_),
        "cublasGetVersion");
  }
  ~Cublas() { destroy_(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  [[nodiscard]] int version() const { return version_; }

  // cuBLAS is column-major: it computes C^T = B^T A^T.
  void multiply(const Product& product, const void* a, const void* b, Bf16* c,
                cudaStream_t stream) const {
    const auto& [m, n, k, pass] = product;
    const bool b_transposed = b_is_transposed(product), a_transposed = a_is_transposed(product);
    const float one = 1, zero = 0;
    require_ok(set_stream_(handle_, stream), "cublasSetStream");
    require_ok(gemm_(handle_, b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                     a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16BF,
                     b_transposed ? k : n, a, CUDA_R_16BF, a_transposed ? m : k, &zero, c,
                     CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
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

std::optional<Products> load_bf16_products(const std::string& file) {
  void* const library = open_library(file, kNames);
  if (library == nullptr) return std::nullopt;
  const auto cublas = std::make_shared<Cublas>(library);
  return Products{
      .precision = Precision::bf16,
      .library = "cuBLAS " + std::to_string(cublas->version()),
      .multiply = [cublas](const Product& product, const void* a, const void* b, Bf16* c,
                           cudaStream_t stream) { cublas->multiply(product, a, b, c, stream); }};
}

}  // namespace calibrate
