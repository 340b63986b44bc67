#include "codecs/cuda/cublas.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <memory>

#include "codecs/cuda/error.hpp"

namespace codecs::cuda {
namespace {

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

class Cublas {
 public:
  explicit Cublas(void* library)
      : gemm_(symbol<GemmEx>(library, "cublasGemmEx")),
        set_stream_(symbol<decltype(&cublasSetStream_v2)>(library, "cublasSetStream_v2")),
        destroy_(symbol<decltype(&cublasDestroy_v2)>(library, "cublasDestroy_v2")) {
    require_ok(symbol<decltype(&cublasCreate_v2)>(library, "cublasCreate_v2")(&handle_),
               "cublasCreate");
  }
  ~Cublas() { destroy_(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

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
  template <typename Function>
  static Function symbol(void* library, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) throw CudaError(std::string("cuBLAS has no ") + name);
    return reinterpret_cast<Function>(found);
  }

  GemmEx gemm_;
  decltype(&cublasSetStream_v2) set_stream_;
  decltype(&cublasDestroy_v2) destroy_;
  cublasHandle_t handle_ = nullptr;
};

void* open_cublas(const std::string& file) {
  if (!file.empty()) return dlopen(file.c_str(), RTLD_NOW);
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                           "/usr/local/cuda/lib64/libcublas.so"}) {
    if (void* const library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

}  // namespace

Multiply cublas_products(const std::string& file) {
  void* const library = open_cublas(file);
  if (library == nullptr) return nullptr;
  return
      [cublas = std::make_shared<const Cublas>(library)](
          const MatrixProduct& product, cudaStream_t stream) { cublas->multiply(product, stream); };
}

}  // namespace codecs::cuda
