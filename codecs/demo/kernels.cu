// SPDX-License-Identifier: Apache-2.0
#include "codecs/aggregate/kernels.hpp"
#include "codecs/demo/dct.cuh"
#include "codecs/demo/kernels.hpp"
#include "codecs/feedback/feedback.cuh"
#include "codecs/feedback/kernels.hpp"
#include "codecs/group/group.hpp"
#include "codecs/top_k/kernels.hpp"
#include "codecs/top_k/launch.cuh"
#include "codecs/top_k/reduce.cuh"

namespace codecs::cuda {
namespace {

// The values to send, of a codec with or without feedback.
template <typename Value>
struct DemoInput {
  TileMap tiles = {};
  const Value* values = nullptr;
  Residual residual = {};

  __device__ float sent(std::size_t at) const {
    const float value = as_float(values[at]);
    if (residual.values == nullptr) return value;
    const Feedback& feedback = residual.feedback;
    return __fmaf_rn(feedback.carry, residual.values[at], feedback.gain * value);
  }
};

template <std::size_t kSide, typename Value>
__global__ void __launch_bounds__(DctTile<kSide>::kThreads)
    dct_kernel(DemoInput<Value> in, float* coefficients) {
  using Tile = DctTile<kSide>;
  __shared__ Tile s;
  const std::size_t first = in.tiles.first(blockIdx.x);
  const auto valid = static_cast<int>(in.tiles.valid(first));
  load_basis<false>(s);
  for (int i = static_cast<int>(threadIdx.x); i < Tile::kElements; i += Tile::kThreads) {
    s.x[i] = i < valid ? in.sent(first + in.tiles.offset(static_cast<unsigned>(i))) : 0.0f;
  }
  __syncthreads();
  DctPart<kSide> out;
  transform_tile(s, out);
#pragma unroll
  for (int r = 0; r < Tile::kRows; ++r) {
    store_run(out[r], coefficients + std::size_t{blockIdx.x} * Tile::kElements + Tile::place(r));
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
template <typename Value>
struct ResidualSink {
  DemoInput<Value> in;
  __device__ void store(std::size_t at, float decoded) const {
    float& kept = in.residual.values[at];
    kept = next_residual(in.residual.feedback, kept, in.sent(at), decoded);
  }
};

template <std::size_t kSide, typename Sink>
__device__ void store_inverse(DctTile<kSide>& s, const TileMap& tiles, const Sink& sink) {
  using Tile = DctTile<kSide>;
  DctPart<kSide> out;
  transform_tile(s, out);
  const std::size_t first = tiles.first(blockIdx.x);
  const unsigned valid = tiles.valid(first);
#pragma unroll
  for (int i = 0; i < Tile::kRows * Tile::kColumns; ++i) {
    const unsigned place = Tile::place(i / Tile::kColumns) + i % Tile::kColumns;
    if (place < valid) {
      sink.store(first + tiles.offset(place), out[i / Tile::kColumns][i % Tile::kColumns]);
    }
  }
}

// Of the sum of the wires' coefficients.
template <std::size_t kSide, typename Sink>
__global__ void __launch_bounds__(DctTile<kSide>::kThreads)
    demo_decode_kernel(SparseShape shape, Wires wires, TileMap tiles, Sink sink) {
  using Tile = DctTile<kSide>;
  __shared__ Tile s;
  load_basis<true>(s);
  for (int i = static_cast<int>(threadIdx.x); i < Tile::kElements; i += Tile::kThreads) s.x[i] = 0;
  __syncthreads();
  // Half a transform is not there yet.
  static_assert(sizeof(s.half) >= Tile::kThreads * sizeof(Entry));
  for_each_entry<Tile::kThreads>(
      shape, wires, reinterpret_cast<Entry*>(s.half),
      [&](unsigned, const Entry& entry) { s.x[entry.index] += entry.value; });
  store_inverse(s, tiles, sink);
}

template <std::size_t kSide, typename Sink>
__global__ void __launch_bounds__(DctTile<kSide>::kThreads)
    inverse_dct_kernel(const float* coefficients, TileMap tiles, Sink sink) {
  using Tile = DctTile<kSide>;
  __shared__ Tile s;
  load_basis<true>(s);
  for (int i = static_cast<int>(threadIdx.x); i < Tile::kElements; i += Tile::kThreads) {
    s.x[i] = coefficients[std::size_t{blockIdx.x} * Tile::kElements + i];
  }
  __syncthreads();
  store_inverse(s, tiles, sink);
}

Format of_coefficients(Format format) {
  require_demo_format(format);
  format.rotation = Rotation::none;
  return format;
}

std::size_t coefficients_of(const Format& format, std::size_t elements) {
  return round_up(elements, format.group);
}

template <std::size_t kSide>
Grid tile_grid(std::size_t elements, cudaStream_t stream) {
  return {.blocks = blocks_of(elements, kSide * kSide),
          .threads = DctTile<kSide>::kThreads,
          .stream = stream};
}

template <typename Value>
Tiled<Value> in_a_row(const Format& format, Tensor<Value> values) {
  return {flat_tiles(values.elements, format.group), values.values};
}

TileMap dct_tile_map(const Format& format, const TileShape& tiles) {
  const bool square = tiles.tile_rows == format.block && tiles.tile_columns == format.block;
  require(square || (tiles.rows == 1 && tiles.tile_columns == format.group),
          "coefficients come from square tiles, or as many elements in a row");
  return tile_map(tiles);
}

template <typename Sink>
void launch_decode_demo(const Format& format, const Wires& wires, const TileMap& tiles,
                        const Sink& sink, cudaStream_t stream) {
  const SparseShape shape =
      sparse_shape(of_coefficients(format), coefficients_of(format, tiles.elements));
  with_dct_side(format.block, [&]<std::size_t kSide>() {
    launch(demo_decode_kernel<kSide, Sink>, tile_grid<kSide>(tiles.elements, stream), shape, wires,
           tiles, sink);
  });
}

template <typename Sink>
void launch_inverse_dct(const Format& format, const float* coefficients, const TileMap& tiles,
                        const Sink& sink, cudaStream_t stream) {
  with_dct_side(format.block, [&]<std::size_t kSide>() {
    launch(inverse_dct_kernel<kSide, Sink>, tile_grid<kSide>(tiles.elements, stream), coefficients,
           tiles, sink);
  });
}

template <typename Value>
void encode_demo(const Format& format, const Tiled<const Value>& matrix, const Encoding& to,
                 cudaStream_t stream, const Residual& residual = {}) {
  const DemoInput<Value> in{dct_tile_map(format, matrix.tiles), matrix.values, residual};
  if (in.tiles.elements == 0) return;
  auto* const coefficients = reinterpret_cast<float*>(to.scratch);
  const std::size_t count = coefficients_of(format, in.tiles.elements);
  with_dct_side(format.block, [&]<std::size_t kSide>() {
    launch(dct_kernel<kSide, Value>, tile_grid<kSide>(in.tiles.elements, stream), in, coefficients);
  });
  Encoding rest = to;
  rest.scratch += count * sizeof(float);
  encode_top_k_async(of_coefficients(format), Tensor<const float>{coefficients, count}, rest,
                     stream);
  if (residual.values == nullptr) return;
  launch_decode_demo(format, {.bytes = to.wires}, in.tiles, ResidualSink<Value>{in}, stream);
}

}  // namespace

std::size_t demo_scratch_bytes(const Format& format, std::size_t elements) {
  const std::size_t count = coefficients_of(format, elements);
  return count * sizeof(float) + top_k_scratch_bytes(of_coefficients(format), count);
}

void encode_demo_async(const Format& format, const Tiled<const float>& matrix, const Encoding& to,
                       cudaStream_t stream) {
  encode_demo(format, matrix, to, stream);
}
void encode_demo_async(const Format& format, const Tiled<const Bf16>& matrix, const Encoding& to,
                       cudaStream_t stream) {
  encode_demo(format, matrix, to, stream);
}
void encode_demo_async(const Format& format, Tensor<const float> values, const Encoding& to,
                       cudaStream_t stream) {
  encode_demo(format, in_a_row(format, values), to, stream);
}
void encode_demo_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                       cudaStream_t stream) {
  encode_demo(format, in_a_row(format, values), to, stream);
}

void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                const Tiled<const float>& matrix, float* residual,
                                const Encoding& to, cudaStream_t stream) {
  encode_demo(format, matrix, to, stream, {residual, feedback});
}
void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                const Tiled<const Bf16>& matrix, float* residual,
                                const Encoding& to, cudaStream_t stream) {
  encode_demo(format, matrix, to, stream, {residual, feedback});
}
void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                Tensor<const float> values, float* residual, const Encoding& to,
                                cudaStream_t stream) {
  encode_demo(format, in_a_row(format, values), to, stream, {residual, feedback});
}
void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                Tensor<const Bf16> values, float* residual, const Encoding& to,
                                cudaStream_t stream) {
  encode_demo(format, in_a_row(format, values), to, stream, {residual, feedback});
}

void decode_demo_async(const Format& format, const std::byte* wire, Tensor<float> values,
                       cudaStream_t stream) {
  decode_reduce_demo_async(format, {.bytes = wire}, values, stream);
}

void decode_reduce_demo_async(const Format& format, const Wires& wires, Tensor<float> sums,
                              cudaStream_t stream) {
  decode_reduce_demo_async(format, wires, in_a_row(format, sums), stream);
}

void decode_reduce_demo_async(const Format& format, const Wires& wires, const Tiled<float>& sums,
                              cudaStream_t stream) {
  const TileMap tiles = dct_tile_map(format, sums.tiles);
  if (tiles.elements == 0) return;
  launch_decode_demo(format, wires, tiles, DecodedSink{sums.values}, stream);
}

std::size_t demo_average_scratch_bytes(const Format& format, std::size_t elements, int peers) {
  const std::size_t count = coefficients_of(format, elements);
  return count * sizeof(float) + aggregate_scratch_bytes(of_coefficients(format), count, peers);
}

void average_demo_async(const Format& format, const Wires& wires, const DemoAverage& to,
                        cudaStream_t stream) {
  if (to.elements == 0) return;
  auto* const coefficients = reinterpret_cast<float*>(to.scratch);
  const std::size_t count = coefficients_of(format, to.elements);
  aggregate_async(of_coefficients(format), {.average = Average::senders, .clip = false}, wires,
                  {.averages = coefficients,
                   .elements = count,
                   .scratch = to.scratch + count * sizeof(float),
                   .nonfinite = to.nonfinite},
                  stream);
  const bool flat = to.tiles.columns == 0;
  const TileMap tiles =
      dct_tile_map(format, flat ? flat_tiles(to.elements, format.group) : to.tiles);
  require(tiles.elements == to.elements, "as many elements as the matrix has");
  if (to.step == DemoStep::sign) {
    launch_inverse_dct(format, coefficients, tiles, SignSink{to.averages}, stream);
  } else {
    launch_inverse_dct(format, coefficients, tiles, DecodedSink{to.averages}, stream);
  }
}

}  // namespace codecs::cuda
