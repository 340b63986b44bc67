// SPDX-License-Identifier: Apache-2.0
// FP8 products by cuBLASLt: E4M3 operands with a scale each, BF16 result. The tensor cores of sm_90
// want both operands with k running fastest, as training frameworks lay them out for all passes.
#include <cublasLt.h>

#include <map>
#include <memory>
#include <vector>

#include "apps/calibrate/gpu/products.hpp"
#include "codecs/cuda/library.hpp"
#include "codecs/cuda/resources.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::cuda::symbol;

constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
                                  "/usr/local/cuda/lib64/libcublasLt.so"};
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // NVIDIA's advice for sm_90

void require_ok(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw codecs::cuda::CudaError(std::string(what) + ": cuBLASLt status " + std::to_string(status));
}

struct Functions {
  explicit Functions(void* library)
      : create(symbol<decltype(create)>(library, "cublasLtCreate")),
        destroy(symbol<decltype(destroy)>(library, "cublasLtDestroy")),
        version(symbol<decltype(version)>(library, "cublasLtGetVersion")),
        describe(symbol<decltype(describe)>(library, "cublasLtMatmulDescCreate")),
        set(symbol<decltype(set)>(library, "cublasLtMatmulDescSetAttribute")),
        layout(symbol<decltype(layout)>(library, "cublasLtMatrixLayoutCreate")),
        prefer(symbol<decltype(prefer)>(library, "cublasLtMatmulPreferenceCreate")),
        set_preference(
            symbol<decltype(set_preference)>(library, "cublasLtMatmulPreferenceSetAttribute")),
        choose(symbol<decltype(choose)>(library, "cublasLtMatmulAlgoGetHeuristic")),
        multiply(symbol<decltype(multiply)>(library, "cublasLtMatmul")) {}

  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtMatmulDescCreate) describe;
  decltype(&cublasLtMatmulDescSetAttribute) set;
  decltype(&cublasLtMatrixLayoutCreate) layout;
  decltype(&cublasLtMatmulPreferenceCreate) prefer;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
  decltype(&cublasLtMatmul) multiply;
};

// What one shape needs; the descriptors live as long as the program.
struct Plan {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
};

class CublasLt {
 public:
  explicit CublasLt(void* library)
      : functions_(library), workspace_(kWorkspaceBytes), scale_(std::vector<float>{kFp8Scale}) {
    require_ok(functions_.create(&handle_), "cublasLtCreate");
  }
  ~CublasLt() { functions_.destroy(handle_); }
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  [[nodiscard]] std::size_t version() const { return functions_.version(); }

  // Column-major: C^T (n x m) = B (k x n, transposed) A^T (k x m).
  void multiply(const Product& product, const void* a, const void* b, Bf16* c,
                cudaStream_t stream) {
    auto found = plans_.find(product);
    if (found == plans_.end()) found = plans_.emplace(product, plan(product)).first;
    const Plan& plan = found->second;
    const float one = 1, zero = 0;
    require_ok(
        functions_.multiply(handle_, plan.product, &one, b, plan.b, a, plan.a, &zero, c, plan.c, c,
                            plan.c, &plan.algorithm, workspace_.get(), kWorkspaceBytes, stream),
        "cublasLtMatmul");
  }

 private:
  template <typename Value>
  void set(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
           const Value& value) const {
    require_ok(functions_.set(description, which, &value, sizeof value),
               "cublasLtMatmulDescSetAttribute");
  }
  [[nodiscard]] cublasLtMatrixLayout_t layout(cudaDataType type, int rows, int columns) const {
    cublasLtMatrixLayout_t result = nullptr;
    require_ok(functions_.layout(&result, type, static_cast<std::uint64_t>(rows),
                                 static_cast<std::uint64_t>(columns), rows),
               "cublasLtMatrixLayoutCreate");
    return result;
  }

  [[nodiscard]] Plan plan(const Product& product) const {
    const auto& [m, n, k, pass] = product;
    Plan plan;
    require_ok(functions_.describe(&plan.product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
               "cublasLtMatmulDescCreate");
    const float* const scale = scale_.get();
    set(plan.product, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    set(plan.product, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    set(plan.product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale);
    set(plan.product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale);
    plan.b = layout(CUDA_R_8F_E4M3, k, n);
    plan.a = layout(CUDA_R_8F_E4M3, k, m);
    plan.c = layout(CUDA_R_16BF, n, m);
    cublasLtMatmulPreference_t preference = nullptr;
    require_ok(functions_.prefer(&preference), "cublasLtMatmulPreferenceCreate");
    require_ok(functions_.set_preference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &kWorkspaceBytes, sizeof kWorkspaceBytes),
               "cublasLtMatmulPreferenceSetAttribute");
    cublasLtMatmulHeuristicResult_t chosen{};
    int count = 0;
    require_ok(functions_.choose(handle_, plan.product, plan.b, plan.a, plan.c, plan.c, preference,
                                 1, &chosen, &count),
               "cublasLtMatmulAlgoGetHeuristic");
    if (count == 0) throw codecs::cuda::CudaError("cuBLASLt offers no E4M3 product here");
    plan.algorithm = chosen.algo;
    return plan;
  }

  Functions functions_;
  cublasLtHandle_t handle_ = nullptr;
  codecs::cuda::DeviceBuffer<std::byte> workspace_;
  codecs::cuda::DeviceBuffer<float> scale_;
  std::map<Product, Plan> plans_;
};

}  // namespace

std::optional<Products> load_fp8_products(const std::string& file) {
  void* const library = codecs::cuda::open_library(file, kNames);
  if (library == nullptr) return std::nullopt;
  const auto cublas = std::make_shared<CublasLt>(library);
  return Products{
      .precision = Precision::fp8,
      .multiplier = "cuBLASLt " + std::to_string(cublas->version()),
      .multiply = [cublas](const Product& product, const void* a, const void* b, Bf16* c,
                           cudaStream_t stream) { cublas->multiply(product, a, b, c, stream); }};
}

}  // namespace calibrate
