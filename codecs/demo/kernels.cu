#include "codecs/aggregate/kernels.hpp"
#include "codecs/demo/dct.hpp"
#include "codecs/demo/kernels.hpp"
#include "codecs/top_k/kernels.hpp"
#include "codecs/top_k/launch.cuh"
#include "codecs/top_k/reduce.cuh"

namespace codecs::cuda {
namespace {

constexpr int kSide = static_cast<int>(kDctSide);
constexpr int kTile = static_cast<int>(kDctTile);
constexpr int kRows = kTile / kThreadsPerBlock;  // that a thread computes of its column

__device__ const DctBasis kDeviceBasis = dct_basis();

// In shared memory: 48 KiB, all that a block has without asking.
struct TileMemory {
  float x[kTile];
  float half[kTile];
  float basis[kTile];  // transposed for the forward transform
};

template <bool kInverse>
__device__ void load_basis(TileMemory& s) {
  for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kThreadsPerBlock) {
    const int from = kInverse ? i : i % kSide * kSide + i / kSide;
    s.basis[i] = kDeviceBasis.values[from];
  }
}

// What the thread has of the transformed tile: rows first_row() to + kRows of column column().
__device__ inline int column() { return static_cast<int>(threadIdx.x) % kSide; }
__device__ inline int first_row() { return static_cast<int>(threadIdx.x) / kSide * kRows; }

// Transforms s.x; the whole block calls, after a barrier.
__device__ void transform_tile(TileMemory& s, float (&out)[kRows]) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) out[i] = 0;
  for (int j = 0; j < kSide; ++j) {
    const float x = s.x[j * kSide + column()];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      out[i] = __fmaf_rn(s.basis[j * kSide + first_row() + i], x, out[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    s.half[(first_row() + i) * kSide + column()] = out[i];
    out[i] = 0;
  }
  __syncthreads();
  for (int j = 0; j < kSide; ++j) {
    const float b = s.basis[j * kSide + column()];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      out[i] = __fmaf_rn(s.half[(first_row() + i) * kSide + j], b, out[i]);
    }
  }
}

// The values to send, of a codec with or without feedback.
struct DemoInput {
  TileMap tiles = {};
  const float* values = nullptr;
  float* residual = nullptr;  // null: none
  Feedback feedback = {};

  __device__ float sent(std::size_t at) const {
    if (residual == nullptr) return values[at];
    return __fmaf_rn(feedback.carry, residual[at], feedback.gain * values[at]);
  }
};

__global__ void __launch_bounds__(kThreadsPerBlock) dct_kernel(DemoInput in, float* coefficients) {
  __shared__ TileMemory s;
  const std::size_t first = in.tiles.first(blockIdx.x);
  const auto valid = static_cast<int>(in.tiles.valid(first));
  load_basis<false>(s);
  for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kThreadsPerBlock) {
    s.x[i] = i < valid ? in.sent(first + in.tiles.offset(static_cast<unsigned>(i))) : 0.0f;
  }
  __syncthreads();
  float out[kRows];
  transform_tile(s, out);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    coefficients[std::size_t{blockIdx.x} * kTile + (first_row() + i) * kSide + column()] = out[i];
  }
}

// Where decoded values go.
struct DecodedSink {
  float* values = nullptr;
  __device__ void store(std::size_t at, float value) const { values[at] = value; }
};
struct SignSink {
  float* values = nullptr;
  __device__ void store(std::size_t at, float value) const {
    values[at] = value > 0 ? 1.0f : value < 0 ? -1.0f : value == 0 ? 0.0f : value;
  }
};
struct ResidualSink {
  DemoInput in;
  __device__ void store(std::size_t at, float decoded) const {
    const float left = in.feedback.take * (in.sent(at) - decoded);
    in.residual[at] = __fmaf_rn(in.feedback.keep, in.residual[at], left);
  }
};

template <typename Sink>
__device__ void store_inverse(TileMemory& s, const TileMap& tiles, const Sink& sink) {
  float out[kRows];
  transform_tile(s, out);
  const std::size_t first = tiles.first(blockIdx.x);
  const unsigned valid = tiles.valid(first);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const auto place = static_cast<unsigned>((first_row() + i) * kSide + column());
    if (place < valid) sink.store(first + tiles.offset(place), out[i]);
  }
}

// Of the sum of the wires' coefficients.
template <typename Sink>
__global__ void __launch_bounds__(kThreadsPerBlock)
    demo_decode_kernel(SparseShape shape, Wires wires, TileMap tiles, Sink sink) {
  __shared__ TileMemory s;
  load_basis<true>(s);
  for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kThreadsPerBlock) s.x[i] = 0;
  __syncthreads();
  for_each_entry<kThreadsPerBlock>(
      shape, wires.bytes, wires.inputs,
      [&](unsigned, const Entry& entry) { s.x[entry.index] += entry.value; });
  store_inverse(s, tiles, sink);
}

template <typename Sink>
__global__ void __launch_bounds__(kThreadsPerBlock)
    inverse_dct_kernel(const float* coefficients, TileMap tiles, Sink sink) {
  __shared__ TileMemory s;
  load_basis<true>(s);
  for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kThreadsPerBlock) {
    s.x[i] = coefficients[std::size_t{blockIdx.x} * kTile + i];
  }
  __syncthreads();
  store_inverse(s, tiles, sink);
}

Format of_coefficients(Format format) {
  require(format.rotation == Rotation::dct && format.group == kDctTile,
          "coefficients come from tiles of 4096");
  format.rotation = Rotation::none;
  return format;
}

std::size_t coefficients_of(std::size_t elements) {
  return (elements + kDctTile - 1) / kDctTile * kDctTile;
}

Grid tile_grid(std::size_t elements, cudaStream_t stream) {
  return {.blocks = chunk_blocks(elements, kDctTile), .stream = stream};
}

TileShape row_of_tiles(std::size_t elements) { return flat_tiles(elements, kDctTile); }

TileMap dct_tile_map(const TileShape& tiles) {
  const bool square = tiles.tile_rows == kDctSide && tiles.tile_columns == kDctSide;
  require(square || (tiles.rows == 1 && tiles.tile_columns == kDctTile),
          "coefficients come from tiles of 64 x 64, or of 4096 in a row");
  return tile_map(tiles);
}

template <typename Sink>
void launch_decode_demo(const Format& format, const Wires& wires, const TileMap& tiles,
                        const Sink& sink, cudaStream_t stream) {
  require(format.keep <= kDctTile / 8, "kernels keep at most an eighth of a chunk");
  const SparseShape shape = sparse_shape(of_coefficients(format), coefficients_of(tiles.elements));
  launch(demo_decode_kernel<Sink>, tile_grid(tiles.elements, stream), shape, wires, tiles, sink);
}

void launch_encode_demo(const Format& format, const DemoInput& in, const Encoding& to,
                        cudaStream_t stream) {
  if (in.tiles.elements == 0) return;
  auto* const coefficients = reinterpret_cast<float*>(to.scratch);
  const std::size_t count = coefficients_of(in.tiles.elements);
  launch(dct_kernel, tile_grid(in.tiles.elements, stream), in, coefficients);
  Encoding rest = to;
  rest.scratch += count * sizeof(float);
  encode_top_k_async(of_coefficients(format), Tensor<const float>{coefficients, count}, rest,
                     stream);
  if (in.residual == nullptr) return;
  launch_decode_demo(format, {.bytes = to.wires}, in.tiles, ResidualSink{in}, stream);
}

}  // namespace

std::size_t demo_scratch_bytes(const Format& format, std::size_t elements) {
  const std::size_t count = coefficients_of(elements);
  return count * sizeof(float) + top_k_scratch_bytes(of_coefficients(format), count);
}

void encode_demo_async(const Format& format, const Tiled<const float>& matrix, const Encoding& to,
                       cudaStream_t stream) {
  launch_encode_demo(format, {.tiles = dct_tile_map(matrix.tiles), .values = matrix.values}, to,
                     stream);
}

void encode_demo_async(const Format& format, Tensor<const float> values, const Encoding& to,
                       cudaStream_t stream) {
  encode_demo_async(format, {row_of_tiles(values.elements), values.values}, to, stream);
}

void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                const Tiled<const float>& matrix, float* residual,
                                const Encoding& to, cudaStream_t stream) {
  launch_encode_demo(format,
                     {.tiles = dct_tile_map(matrix.tiles),
                      .values = matrix.values,
                      .residual = residual,
                      .feedback = feedback},
                     to, stream);
}

void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                Tensor<const float> values, float* residual, const Encoding& to,
                                cudaStream_t stream) {
  encode_demo_feedback_async(format, feedback, {row_of_tiles(values.elements), values.values},
                             residual, to, stream);
}

void decode_demo_async(const Format& format, const std::byte* wire, Tensor<float> values,
                       cudaStream_t stream) {
  decode_reduce_demo_async(format, {.bytes = wire}, values, stream);
}

void decode_reduce_demo_async(const Format& format, const Wires& wires, Tensor<float> sums,
                              cudaStream_t stream) {
  decode_reduce_demo_async(format, wires, Tiled<float>{row_of_tiles(sums.elements), sums.values},
                           stream);
}

void decode_reduce_demo_async(const Format& format, const Wires& wires, const Tiled<float>& sums,
                              cudaStream_t stream) {
  const TileMap tiles = dct_tile_map(sums.tiles);
  if (tiles.elements == 0) return;
  launch_decode_demo(format, wires, tiles, DecodedSink{sums.values}, stream);
}

std::size_t demo_average_scratch_bytes(const Format& format, std::size_t elements, int peers) {
  const std::size_t count = coefficients_of(elements);
  return count * sizeof(float) + aggregate_scratch_bytes(of_coefficients(format), count, peers);
}

void average_demo_async(const Format& format, const Wires& wires, const DemoAverage& to,
                        cudaStream_t stream) {
  if (to.elements == 0) return;
  auto* const coefficients = reinterpret_cast<float*>(to.scratch);
  const std::size_t count = coefficients_of(to.elements);
  aggregate_async(of_coefficients(format), {.average = Average::senders, .clip = false}, wires,
                  {.averages = coefficients,
                   .elements = count,
                   .scratch = to.scratch + count * sizeof(float),
                   .nonfinite = to.nonfinite},
                  stream);
  const Grid grid = tile_grid(to.elements, stream);
  const TileMap tiles = dct_tile_map(to.tiles.columns == 0 ? row_of_tiles(to.elements) : to.tiles);
  require(tiles.elements == to.elements, "as many elements as the matrix has");
  if (to.step == DemoStep::sign) {
    launch(inverse_dct_kernel<SignSink>, grid, coefficients, tiles, SignSink{to.averages});
  } else {
    launch(inverse_dct_kernel<DecodedSink>, grid, coefficients, tiles, DecodedSink{to.averages});
  }
}

}  // namespace codecs::cuda
