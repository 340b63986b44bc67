// Rates of matrix products over the shapes of GPT models.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <tuple>
#include <vector>

#include "apps/calibrate/device.hpp"
#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/cublas.hpp"
#include "codecs/error/distributions.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::cuda::CudaError;
using Json = nlohmann::ordered_json;

// Row-major C (m x n) = A (m x k) B (k x n); how A and B lie in memory is the pass's.
enum class Pass { forward, input_gradient, weight_gradient };
using Shape = std::tuple<int, int, int, Pass>;  // m, n, k

// cuBLAS is column-major: it computes C^T = B^T A^T. Weights lie as (out, in), values as (token,
// feature), as in PyTorch's Linear.
codecs::cuda::MatrixProduct product_of(const Shape& shape, const Bf16* a, const Bf16* b, Bf16* c) {
  const auto [m, n, k, pass] = shape;
  const bool b_transposed = pass == Pass::forward;
  const bool a_transposed = pass == Pass::weight_gradient;
  return {.rows = n,
          .columns = m,
          .inner = k,
          .left = {.values = b, .leading = b_transposed ? k : n, .transposed = b_transposed},
          .right = {.values = a, .leading = a_transposed ? m : k, .transposed = a_transposed},
          .product = c,
          .leading = n,
          .values = CUDA_R_16BF};
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
  const codecs::cuda::Multiply multiply = codecs::cuda::cublas_products(path);
  if (!multiply) return nullptr;
  const std::set<Shape> shapes = transformer_shapes();
  const std::size_t elements = largest_operand(shapes);
  const Operands operands(elements);
  const codecs::cuda::DeviceBuffer<Bf16> product(elements);
  Json rows = Json::array();
  for (const Shape& shape : shapes) {
    const auto timing = benchmark.time([&](int, cudaStream_t stream) {
      multiply(product_of(shape, operands.get(), operands.get(), product.get()), stream);
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
