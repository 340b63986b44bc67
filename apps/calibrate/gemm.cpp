// Rates of matrix products over the shapes of GPT models: cuBLAS is loaded at run time, so that the
// program starts on a machine without it.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <tuple>
#include <vector>

#include "apps/calibrate/device.hpp"
#include "codecs/bf16/bf16.hpp"
#include "codecs/error/distributions.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::cuda::CudaError;
using Json = nlohmann::ordered_json;

// Row-major C (m x n) = A (m x k) B (k x n); how A and B lie in memory is the pass's.
enum class Pass { forward, input_gradient, weight_gradient };
using Shape = std::tuple<int, int, int, Pass>;  // m, n, k

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

  // cuBLAS is column-major: it computes C^T = B^T A^T. Weights lie as (out, in), values as
  // (token, feature), as in PyTorch's Linear.
  void multiply(const Shape& shape, const Bf16* a, const Bf16* b, Bf16* c,
                cudaStream_t stream) const {
    const auto [m, n, k, pass] = shape;
    const bool b_transposed = pass == Pass::forward;
    const bool a_transposed = pass == Pass::weight_gradient;
    const float one = 1, zero = 0;
    require_ok(set_stream_(handle_, stream), "cublasSetStream");
    require_ok(gemm_(handle_, b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                     a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16BF,
                     b_transposed ? k : n, a, CUDA_R_16BF, a_transposed ? m : k, &zero, c,
                     CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
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

void* open_cublas(const std::string& wanted) {
  if (!wanted.empty()) return dlopen(wanted.c_str(), RTLD_NOW);
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                           "/usr/local/cuda/lib64/libcublas.so"}) {
    if (void* const library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

// Layers of GPT models from 1.3B to 18B parameters, one sequence of 2048 tokens, tensor-parallel 1,
// 4 and 8: (in, out) of attention's two products, of the MLP's two and of the output embedding.
std::set<Shape> transformer_shapes() {
  constexpr int kTokens = 2048, kVocabulary = 50304;
  std::set<Shape> shapes;
  for (const int hidden : {2048, 2560, 4096, 5120, 6144}) {
    for (const int parallel : {1, 4, 8}) {
      const std::array<std::pair<int, int>, 5> layers{{{hidden, 3 * hidden / parallel},
                                                       {hidden / parallel, hidden},
                                                       {hidden, 4 * hidden / parallel},
                                                       {4 * hidden / parallel, hidden},
                                                       {hidden, kVocabulary / parallel}}};
      for (const auto& [in, out] : layers) {
        shapes.emplace(kTokens, out, in, Pass::forward);
        shapes.emplace(kTokens, in, out, Pass::input_gradient);
        shapes.emplace(out, in, kTokens, Pass::weight_gradient);
      }
    }
  }
  return shapes;
}

// Operands repeat a pattern that the host knows. Normal values: a GPU that multiplies zeros draws
// less power and runs faster than it ever does in training.
class Operands {
 public:
  explicit Operands(std::size_t elements) : device_(elements) {
    for (const float value : codecs::draw(codecs::distribution_named("normal"), 3, kPattern)) {
      pattern_.push_back(codecs::to_bf16(value));
    }
    for (std::size_t first = 0; first < elements; first += kPattern) {
      const std::size_t count = std::min(kPattern, elements - first);
      codecs::cuda::check(cudaMemcpy(device_.get() + first, pattern_.data(), count * sizeof(Bf16),
                                     cudaMemcpyHostToDevice));
    }
  }
  [[nodiscard]] const Bf16* get() const { return device_.get(); }
  [[nodiscard]] double operator[](std::size_t index) const {
    return codecs::to_float(pattern_[index % kPattern]);
  }

 private:
  // Not a power of two: rows of the matrices must differ.
  static constexpr std::size_t kPattern = 1'000'003;
  std::vector<Bf16> pattern_;
  codecs::cuda::DeviceBuffer<Bf16> device_;
};

// Whether entry (row, column) of C is that of float64, within bfloat16 and float32 accumulation.
bool entry_agrees(const Shape& shape, const Operands& operands, const Bf16* c, int row,
                  int column) {
  const auto [m, n, k, pass] = shape;
  double exact = 0, magnitude = 0;
  for (int i = 0; i < k; ++i) {
    const auto at = [](int r, int columns, int col) {
      return static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) +
             static_cast<std::size_t>(col);
    };
    const std::size_t a = pass == Pass::weight_gradient ? at(i, m, row) : at(row, k, i);
    const std::size_t b = pass == Pass::forward ? at(column, k, i) : at(i, n, column);
    exact += operands[a] * operands[b];
    magnitude += std::abs(operands[a] * operands[b]);
  }
  Bf16 entry;
  codecs::cuda::check(cudaMemcpy(&entry,
                                 c + static_cast<std::size_t>(row) * static_cast<std::size_t>(n) +
                                     static_cast<std::size_t>(column),
                                 sizeof entry, cudaMemcpyDeviceToHost));
  return std::abs(codecs::to_float(entry) - exact) <= 0x1p-8 * std::abs(exact) + 1e-6 * magnitude;
}

void verify(const Shape& shape, const Operands& operands, const Bf16* c) {
  const auto [m, n, k, pass] = shape;
  for (int i = 0; i < 8; ++i) {
    if (!entry_agrees(shape, operands, c, m / 8 * i + i, n / 8 * (7 - i) + i)) {
      throw CudaError("cuBLAS and float64 disagree for " + std::to_string(m) + " x " +
                      std::to_string(n) + " x " + std::to_string(k));
    }
  }
}

std::size_t largest_operand(const std::set<Shape>& shapes) {
  std::size_t largest = 0;
  for (const auto& [m, n, k, pass] : shapes) {
    const auto [x, y, z] = std::tuple<std::size_t, std::size_t, std::size_t>(m, n, k);
    largest = std::max({largest, x * z, z * y, x * y});
  }
  return largest;
}

}  // namespace

Json measure_gemm(const codecs::cuda::Benchmark& benchmark, const std::string& path) {
  void* const library = open_cublas(path);
  if (library == nullptr) return nullptr;
  const Cublas cublas(library);
  const std::set<Shape> shapes = transformer_shapes();
  const std::size_t elements = largest_operand(shapes);
  const Operands operands(elements);
  const codecs::cuda::DeviceBuffer<Bf16> product(elements);
  Json rows = Json::array();
  for (const Shape& shape : shapes) {
    const auto timing = benchmark.time([&](int, cudaStream_t stream) {
      cublas.multiply(shape, operands.get(), operands.get(), product.get(), stream);
    });
    verify(shape, operands, product.get());
    const auto [m, n, k, pass] = shape;
    const double rate = 2.0 * m * n * k / timing.median_s;
    std::fprintf(stderr, "gemm bf16 %6d x %6d x %6d %10.2f us %7.1f TFLOP/s\n", m, n, k,
                 timing.median_s * 1e6, rate / 1e12);
    rows.push_back({{"precision", "bf16"},
                    {"m", m},
                    {"n", n},
                    {"k", k},
                    {"median_s", timing.median_s},
                    {"spread_s", timing.spread_s}});
  }
  return rows;
}

}  // namespace calibrate
