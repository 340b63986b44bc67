// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <numbers>

#include "codecs/cuda/sums.cuh"
#include "codecs/feedback/feedback.cuh"
#include "codecs/power_sgd/kernels.hpp"

namespace codecs::cuda {
namespace {

// (0, 1]: the logarithm of no value is infinite.
__device__ double uniform(unsigned word) { return (word + 1.0) * 0x1p-32; }

// Four values a thread. In float64, which costs nothing here and leaves one rounding.
__global__ void __launch_bounds__(kThreadsPerBlock)
    start_kernel(std::size_t elements, Draw draw, float* q) {
  const std::size_t block = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  const uint4 words = draw_block(draw, block);
#pragma unroll
  for (int k = 0; k < 4; k += 2) {
    const double radius = sqrt(-2 * log(uniform(word_of(words, k))));
    const double angle = 2 * std::numbers::pi * uniform(word_of(words, k + 1));
    const std::size_t i = block * 4 + static_cast<std::size_t>(k);
    if (i < elements) q[i] = static_cast<float>(radius * cos(angle));
    if (i + 1 < elements) q[i + 1] = static_cast<float>(radius * sin(angle));
  }
}

constexpr int kFactorWarps = 32;  // of the one block
constexpr int kFactorThreads = kFactorWarps * kWarpLanes;

// Sums over the block's threads of the first `count` values, in every thread: by a butterfly over
// the lanes, then by another over the warps.
template <int kMost>
__device__ void block_sums(float (&x)[kMost], int count) {
  __shared__ float of_warps[kMost][kFactorWarps];
  __shared__ float totals[kMost];
  const int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
  const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
#pragma unroll
  for (int k = 0; k < kMost; ++k) {
    if (k >= count) break;
    const float sum = sum_over_lanes(x[k], kWarpLanes);
    if (lane == 0) of_warps[k][warp] = sum;
  }
  __syncthreads();
  if (warp < count) {
    const float total = sum_over_lanes(of_warps[warp][lane], kWarpLanes);
    if (lane == 0) totals[warp] = total;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kMost; ++k) {
    if (k < count) x[k] = totals[k];
  }
}

// One block. For each column: it is divided by its norm + epsilon, in the same pass multiplied by
// all columns after it, and in a second one taken out of them. A thread has the same rows in all
// passes, so only sums pass between threads.
template <int kColumns>
__global__ void __launch_bounds__(kFactorThreads)
    orthonormalise_kernel(std::size_t rows, int columns, float* factor) {
  float squares[1] = {};
  for (std::size_t row = threadIdx.x; row < rows; row += kFactorThreads) {
    squares[0] = __fmaf_rn(factor[row], factor[row], squares[0]);
  }
  for (int left = columns - 1; left >= 0; --left) {
    block_sums(squares, 1);
    const float divisor = __fsqrt_rn(squares[0]) + kPowerSgdEpsilon;
    float* const after = factor + rows;  // `left` columns
    float dots[kColumns] = {};
    for (std::size_t row = threadIdx.x; row < rows; row += kFactorThreads) {
      const float x = __fdiv_rn(factor[row], divisor);
      factor[row] = x;
#pragma unroll
      for (int k = 0; k < kColumns; ++k) {
        if (k < left)
          dots[k] = __fmaf_rn(x, after[static_cast<std::size_t>(k) * rows + row], dots[k]);
      }
    }
    block_sums(dots, left);
    squares[0] = 0;
    for (std::size_t row = threadIdx.x; row < rows; row += kFactorThreads) {
      const float x = factor[row];
#pragma unroll
      for (int k = 0; k < kColumns; ++k) {
        if (k >= left) break;
        float& y = after[static_cast<std::size_t>(k) * rows + row];
        y = __fmaf_rn(-dots[k], x, y);
        if (k == 0) squares[0] = __fmaf_rn(y, y, squares[0]);
      }
    }
    factor = after;
  }
}

template <int kWide>
__device__ void load_wide(const float* values, float (&x)[kWide]) {
  if constexpr (kWide == 4) {
    const float4 vector = *reinterpret_cast<const float4*>(values);
    x[0] = vector.x, x[1] = vector.y, x[2] = vector.z, x[3] = vector.w;
  } else {
    x[0] = *values;
  }
}
template <int kWide>
__device__ void store_wide(const float (&x)[kWide], float* values) {
  if constexpr (kWide == 4) {
    *reinterpret_cast<float4*>(values) = make_float4(x[0], x[1], x[2], x[3]);
  } else {
    *values = x[0];
  }
}

struct Expansion {
  std::size_t rows = 0;
  std::size_t columns = 0;
  int rank = 0;
  unsigned tiles = 0;  // of a row
  const float* p = nullptr;
  const float* q = nullptr;
  float* matrix = nullptr;  // M, then what is sent
  float* residual = nullptr;
};

// What follows a value that is kept, where that is finite.
__device__ inline void replace(float by, float& kept) {
  if (magnitude_bits(by) < kInfinityBits) kept = by;
}

constexpr int kThreadRows = 4;  // values of Q serve all of them
constexpr int kTileRows = kWarpsPerBlock * kThreadRows;

// A block's tile is 32 rows of 32 lanes. kWide is 4 where rows are whole vectors, and else 1.
template <int kWide>
__global__ void __launch_bounds__(kThreadsPerBlock) expand_kernel(Expansion of) {
  const std::size_t first =
      std::size_t{blockIdx.x / of.tiles} * kTileRows + threadIdx.x / kWarpLanes * kThreadRows;
  const std::size_t column =
      (std::size_t{blockIdx.x % of.tiles} * kWarpLanes + threadIdx.x % kWarpLanes) * kWide;
  if (first >= of.rows || column >= of.columns) return;
  const int rows = static_cast<int>(min(std::size_t{kThreadRows}, of.rows - first));
  float matrix[kThreadRows][kWide] = {}, sum[kThreadRows][kWide] = {};
#pragma unroll
  for (int r = 0; r < kThreadRows; ++r) {
    if (r < rows) load_wide(of.matrix + (first + r) * of.columns + column, matrix[r]);
  }
  for (int j = 0; j < of.rank; ++j) {
    float q[kWide];
    load_wide(of.q + static_cast<std::size_t>(j) * of.columns + column, q);
    const float* const p = of.p + static_cast<std::size_t>(j) * of.rows + first;
#pragma unroll
    for (int r = 0; r < kThreadRows; ++r) {
      const float factor = r < rows ? p[r] : 0.0f;
#pragma unroll
      for (int i = 0; i < kWide; ++i) sum[r][i] = __fmaf_rn(factor, q[i], sum[r][i]);
    }
  }
#pragma unroll
  for (int r = 0; r < kThreadRows; ++r) {
    if (r >= rows) break;
    const std::size_t at = (first + r) * of.columns + column;
    bool finite = true;
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      matrix[r][i] -= sum[r][i];
      finite = finite && magnitude_bits(matrix[r][i]) < kInfinityBits;
    }
    store_wide(sum[r], of.matrix + at);
    if (finite) {
      store_wide(matrix[r], of.residual + at);
      continue;
    }
#pragma unroll
    for (int i = 0; i < kWide; ++i) replace(matrix[r][i], of.residual[at + i]);
  }
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    keep_factor_kernel(const float* next, std::size_t elements, float* q) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (i < elements) replace(next[i], q[i]);
}

template <int kWide>
void launch_expand(const PowerSgd& shape, Expansion of, cudaStream_t stream) {
  const std::size_t tiles = (shape.columns + kWarpLanes * kWide - 1) / (kWarpLanes * kWide);
  const std::size_t blocks = (shape.rows + kTileRows - 1) / kTileRows * tiles;
  require(blocks <= 0x7FFFFFFFu, "more blocks than a grid has");
  of.tiles = static_cast<unsigned>(tiles);
  launch(expand_kernel<kWide>, {.blocks = static_cast<unsigned>(blocks), .stream = stream}, of);
}

void require_shape(const PowerSgd& shape) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  require(shape.rows <= kMost && shape.columns <= kMost, "BLAS counts rows and columns as int");
  require(shape.rank >= 1 && shape.rank <= kMostPowerSgdRank, "kernels take ranks from 1 to 32");
}

int as_int(std::size_t count) { return static_cast<int>(count); }

// M, row after row, is its transpose of columns x rows.
MatrixOperand matrix_of(const PowerSgd& shape, const PowerSgdBuffers& buffers, bool transposed) {
  return {.values = buffers.matrix, .leading = as_int(shape.columns), .transposed = transposed};
}

}  // namespace

void power_sgd_start_async(const PowerSgd& shape, const RandomKey& key, float* q,
                           cudaStream_t stream) {
  require_shape(shape);
  const std::size_t elements = shape.columns * shape.rank;
  if (elements == 0) return;
  launch(start_kernel,
         {.blocks = blocks_for(elements, std::size_t{4} * kWarpLanes), .stream = stream}, elements,
         draw_of(key), q);
}

void power_sgd_p_async(const PowerSgd& shape, const float* values, const PowerSgdBuffers& buffers,
                       const Multiply& multiply, cudaStream_t stream) {
  require_shape(shape);
  const std::size_t elements = shape.elements();
  if (elements == 0) return;
  launch(copy_kernel<false, FeedbackSource<float>, TensorSink<float>>,
         {.blocks = blocks_for(elements, kTileElements), .stream = stream},
         FeedbackSource<float>{values, elements, buffers.residual}, elements,
         TensorSink<float>{buffers.matrix, elements}, buffers.nonfinite);
  multiply({.rows = as_int(shape.rows),
            .columns = as_int(shape.rank),
            .inner = as_int(shape.columns),
            .left = matrix_of(shape, buffers, true),
            .right = {.values = buffers.q, .leading = as_int(shape.columns)},
            .product = buffers.p,
            .leading = as_int(shape.rows)},
           stream);
}

void power_sgd_q_async(const PowerSgd& shape, const PowerSgdBuffers& buffers,
                       const Multiply& multiply, cudaStream_t stream) {
  require_shape(shape);
  if (shape.elements() == 0) return;
  orthonormalise_async(shape.rows, shape.rank, buffers.p, stream);
  multiply({.rows = as_int(shape.columns),
            .columns = as_int(shape.rank),
            .inner = as_int(shape.rows),
            .left = matrix_of(shape, buffers, false),
            .right = {.values = buffers.p, .leading = as_int(shape.rows)},
            .product = buffers.next_q,
            .leading = as_int(shape.columns)},
           stream);
}

void power_sgd_finish_async(const PowerSgd& shape, const PowerSgdBuffers& buffers,
                            cudaStream_t stream) {
  require_shape(shape);
  if (shape.elements() == 0) return;
  const Expansion of{.rows = shape.rows,
                     .columns = shape.columns,
                     .rank = as_int(shape.rank),
                     .p = buffers.p,
                     .q = buffers.next_q,
                     .matrix = buffers.matrix,
                     .residual = buffers.residual};
  shape.columns % 4 == 0 ? launch_expand<4>(shape, of, stream)
                         : launch_expand<1>(shape, of, stream);
  const std::size_t factor = shape.columns * shape.rank;
  launch(keep_factor_kernel, {.blocks = blocks_for(factor, kWarpLanes), .stream = stream},
         buffers.next_q, factor, buffers.q);
}

void orthonormalise_async(std::size_t rows, std::size_t columns, float* factor,
                          cudaStream_t stream) {
  require(columns <= kMostPowerSgdRank, "kernels take ranks from 1 to 32");
  if (rows == 0 || columns == 0) return;
  const auto kernel = columns <= 4    ? orthonormalise_kernel<4>
                      : columns <= 16 ? orthonormalise_kernel<16>
                                      : orthonormalise_kernel<32>;
  launch(kernel, {.threads = kFactorThreads, .stream = stream}, rows, as_int(columns), factor);
}

}  // namespace codecs::cuda
