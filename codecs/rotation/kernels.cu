// SPDX-License-Identifier: Apache-2.0
#include "codecs/rotation/decode.cuh"
#include "codecs/rotation/encode.cuh"
#include "codecs/rotation/in_turns.cuh"
#include "codecs/rotation/kernels.hpp"
#include "codecs/rotation/launch.cuh"

namespace codecs::cuda {
namespace {

template <int kLog, bool kBack>
__global__ void __launch_bounds__(RotationTile<kLog>::kThreads)
    rotate_kernel(Tensor<float> values, Signs signs) {
  using Tile = RotationTile<kLog>;
  __shared__ float exchange[Tile::kExchange];
  __shared__ uint4 draws[Tile::kDraws];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  const std::size_t tile = first + threadIdx.x / kWarpLanes * kTileElements;
  float x[kLaneElements];
  load_lane(values.values, values.elements, tile, x);
  draw_signs<Tile>(signs, first, draws);
  __syncthreads();
  if constexpr (kBack) {
    if constexpr (Tile::kTop > 0) {
      regroup<Tile, 0, Tile::kTop>(x, exchange);
      rotation_barrier<Tile>();
    }
    rotate_lane_back<Tile>(x, exchange);
    flip_signs<Tile>(x, signs, first, draws);
#pragma unroll
    for (int k = 0; k < kLaneElements; ++k) x[k] *= 1.0f / Tile::kBlock;
  } else {
    flip_signs<Tile>(x, signs, first, draws);
    rotate_lane<Tile>(x, exchange);
    if constexpr (Tile::kTop > 0) {
      rotation_barrier<Tile>();
      regroup<Tile, Tile::kTop, 0>(x, exchange);
    }
  }
  store_lane(x, values.elements, tile, values.values);
}

template <int kLog, int kGroup, typename Static, typename Source>
__global__ void __launch_bounds__(RowTile::kThreads)
    encode_rotated_kernel(Source source, EncodeShape shape, Signs signs, EncodeOutput output) {
  const std::size_t first = std::size_t{blockIdx.x} * RowTile::kElements;
  float x[kRow];
  const auto order = load_rotated<kLog>(source, signs, first, x);
  if (first == 0 && threadIdx.x == 0) store_signs(signs, output.wires);
  encode_row<Static, kGroup>(x, order, first + threadIdx.x * kRow, shape,
                             {output.wires + kSignKeyBytes, output.nonfinite});
}

template <int kLog, typename Source>
__global__ void __launch_bounds__(RowTile::kThreads)
    amax_rotated_kernel(Source source, Signs signs, std::uint32_t* amax) {
  float x[kRow];
  load_rotated<kLog>(source, signs, std::size_t{blockIdx.x} * RowTile::kElements, x);
  raise_amax(magnitude_bits(x), amax);
}

template <int kLog, typename Source, typename Sink>
__global__ void __launch_bounds__(RowTile::kThreads, kRowDecodeBlocks)
    decode_rotated_kernel(Source source, Sink sink) {
  using Tile = RowTile;
  constexpr bool kMoves = kLog > kRowLog + 1;  // through shared memory, which sets the order
  __shared__ float exchange[kMoves ? Tile::kExchange : 1];
  __shared__ uint4 draws[Tile::kDraws];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  const std::size_t element = first + threadIdx.x * kRow;
  typename Source::Batch batch = {};
  source.load(0, element, batch);
  const std::byte* const headers = source.reader.wires - kSignKeyBytes;
  const Signs signs = load_signs(headers);
  draw_signs<Tile>(signs, first, draws);
  const bool differ = __syncthreads_or(signs_differ(signs, headers, source.reader.wire_bytes,
                                                    source.reader.inputs)) != 0;
  const auto order = row_order(sink.values);
  float x[kRow] = {};
  add_in_turns<kRowBatch>(
      source.reader.inputs, batch,
      [&](int input, auto& next) { source.load(input, element, next); },
      [&](int input, const auto& those) { source.add(input, those, order_of<!kMoves>(order), x); });
  rotate_row_back<kLog>(x, exchange, order);
  flip_signs<Tile>(x, signs, first, draws, order);
  const float factor = differ ? __uint_as_float(kNaNScale) : 1.0f / (1 << kLog);
#pragma unroll
  for (int k = 0; k < kRow; ++k) x[k] *= factor;
  store_row<Tile::kElements>(x, sink.elements, first, sink.values);
}

template <bool kBack>
void launch_rotate(std::size_t block, const SignKey& signs, Tensor<float> values,
                   cudaStream_t stream) {
  require(block != 0 && values.elements % block == 0, "a rotation takes whole blocks");
  with_rotation<4, 5, 6, 7, 8, 9, 10, 11, 12, 13>(block, [&]<int kLog>(RotationLog<kLog>) {
    if (values.elements == 0) return;
    launch(rotate_kernel<kLog, kBack>, rotation_grid<RotationTile<kLog>>(values.elements, stream),
           values, signs_of(signs));
  });
}

template <int kLogOf, int kGroupOf, typename StaticOf>
struct Rotated {
  static constexpr int kLog = kLogOf;
  static constexpr int kGroup = kGroupOf;
  using Static = StaticOf;
};

// The rows of the registry.
using RotatedFormats = Formats<Rotated<7, 128, StaticFormat<E::int4, C::symmetric, kRandom>>,
                               Rotated<12, 128, StaticFormat<E::int4, C::symmetric>>,
                               Rotated<4, 16, StaticFormat<E::e2m1, C::nested>>,
                               Rotated<4, 16, StaticFormat<E::e2m1, C::nested, kRandom>>>;

// Calls launch with that which is the format; `inner` is the format without its rotation.
template <typename... Rows, typename Launch>
void with_rotated_format(Formats<Rows...>, const Format& format, const Format& inner,
                         Launch launch) {
  const bool found =
      ((format.block == std::size_t{1} << Rows::kLog && inner.group == Rows::kGroup &&
                is_format<typename Rows::Static>(inner)
            ? (launch(Rows{}), true)
            : false) ||
       ...);
  require(found && format.rotation == Rotation::random_signs, "no CUDA kernel has this format");
}

template <typename Value>
void launch_encode_rotated(const Format& format, Tensor<const Value> values, const Encoding& to,
                           cudaStream_t stream) {
  const std::size_t elements = rotated_elements(format, values.elements);
  const Format inner = without_rotation(format);
  if (elements == 0) return;
  const TensorSource<Value> source{values.values, values.elements};
  const Signs signs = signs_of(sign_key(to.key));
  const EncodeShape shape = encode_shape(inner, elements, to);
  const Grid grid = rotation_grid<RowTile>(elements, stream);
  with_rotated_format(RotatedFormats{}, format, inner, [&]<typename Row>(Row) {
    if constexpr (Row::Static::kCoding == Coding::nested) {
      auto* const amax = zeroed_amax(to, stream);
      launch(amax_rotated_kernel<Row::kLog, TensorSource<Value>>, grid, source, signs, amax);
    }
    launch(encode_rotated_kernel<Row::kLog, Row::kGroup, typename Row::Static, TensorSource<Value>>,
           grid, source, shape, signs, EncodeOutput{to.wires, to.nonfinite});
  });
}

}  // namespace

void rotate_async(std::size_t block, const SignKey& signs, Tensor<float> values,
                  cudaStream_t stream) {
  launch_rotate<false>(block, signs, values, stream);
}

void rotate_back_async(std::size_t block, const SignKey& signs, Tensor<float> values,
                       cudaStream_t stream) {
  launch_rotate<true>(block, signs, values, stream);
}

void encode_rotated_async(const Format& format, Tensor<const float> values, const Encoding& to,
                          cudaStream_t stream) {
  launch_encode_rotated(format, values, to, stream);
}

void encode_rotated_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                          cudaStream_t stream) {
  launch_encode_rotated(format, values, to, stream);
}

void decode_reduce_rotated_async(const Format& format, const Wires& wires, Tensor<float> sums,
                                 cudaStream_t stream) {
  const std::size_t elements = rotated_elements(format, sums.elements);
  const Format inner = without_rotation(format);
  if (elements == 0) return;
  with_rotated_format(RotatedFormats{}, format, inner, [&]<typename Row>(Row) {
    using Source = RowSum<Row::Static::kElement, Row::Static::kCoding, Row::kGroup>;
    using Sink = TensorSink<float>;
    Source source{wire_reader(inner, wires, elements)};
    source.reader.wires += kSignKeyBytes;
    source.reader.wire_bytes += kSignKeyBytes;
    launch(decode_rotated_kernel<Row::kLog, Source, Sink>, rotation_grid<RowTile>(elements, stream),
           source, Sink{sums.values, sums.elements});
  });
}

}  // namespace codecs::cuda
