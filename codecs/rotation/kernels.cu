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
  draw_signs<kLog>(signs, first, draws);
  __syncthreads();
  if constexpr (kBack) {
    if constexpr (Tile::kTop > 0) {
      regroup<kLog, 0, Tile::kTop>(x, exchange);
      rotation_barrier<kLog>();
    }
    rotate_lane_back<kLog>(x, exchange);
    flip_signs(x, signs, first, draws);
#pragma unroll
    for (int k = 0; k < kLaneElements; ++k) x[k] *= 1.0f / Tile::kBlock;
  } else {
    flip_signs(x, signs, first, draws);
    rotate_lane<kLog>(x, exchange);
    if constexpr (Tile::kTop > 0) {
      rotation_barrier<kLog>();
      regroup<kLog, Tile::kTop, 0>(x, exchange);
    }
  }
  store_lane(x, values.elements, tile, values.values);
}

// Groups of at most a warp's 512 values, of rotated values: encode.cuh, after a rotation.
template <int kLog, typename Static, typename Source>
__global__ void __launch_bounds__(RotationTile<kLog>::kThreads)
    encode_rotated_kernel(Source source, EncodeShape shape, Signs signs, EncodeOutput output) {
  using Tile = RotationTile<kLog>;
  static_assert(Static::kTilesPerGroup == 1 && Static::kGroup <= Tile::kBlock);
  __shared__ float exchange[Tile::kExchange];
  __shared__ uint4 draws[Tile::kDraws];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  float x[kLaneElements];
  source.load(first + threadIdx.x / kWarpLanes * kTileElements, x);
  if (magnitude_bits(x) >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
  draw_signs<kLog>(signs, first, draws);
  __syncthreads();
  flip_signs(x, signs, first, draws);
  rotate_lane<kLog>(x, exchange);
  rotation_barrier<kLog>();
  regroup<kLog, Tile::kTop, 0>(x, exchange);

  const std::uint32_t bits = max_over_lanes<Static::kLanesPerGroup>(magnitude_bits(x));
  const GroupScale scale = group_scale(bits, Static::kLargest, shape.factor);
  const std::size_t element = first + threadIdx.x * kLaneElements;
  if (element == 0) store_signs(signs, output.wires);
  if (element >= shape.elements) return;
  std::byte* const wire = output.wires + kSignKeyBytes;
  *reinterpret_cast<Packed<Static::kBits>*>(wire + element * Static::kBits / 8) =
      encode_lane<Static>(x, scale.inverse, shape.draw,
                          shape.draw.first_block + element / kElementsPerDraw);
  if (element % Static::kGroup != 0) return;
  store_scale(shape.wire, static_cast<std::uint32_t>(element / Static::kGroup), scale.stored, wire);
}

template <int kLog, typename Source, typename Sink>
__global__ void __launch_bounds__(RotationTile<kLog>::kThreads)
    decode_rotated_kernel(Source source, Sink sink) {
  using Tile = RotationTile<kLog>;
  __shared__ float exchange[Tile::kExchange];
  __shared__ uint4 draws[Tile::kDraws];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  const std::size_t tile = first + threadIdx.x / kWarpLanes * kTileElements;
  float x[kLaneElements];
  source.load(tile, x);
  const std::byte* const headers = source.wires - kSignKeyBytes;
  const Signs signs = load_signs(headers);
  draw_signs<kLog>(signs, first, draws);
  const bool differ =
      __syncthreads_or(signs_differ(signs, headers, source.wire_bytes, source.inputs)) != 0;
  regroup<kLog, 0, Tile::kTop>(x, exchange);
  rotation_barrier<kLog>();
  rotate_lane_back<kLog>(x, exchange);
  flip_signs(x, signs, first, draws);
  const float factor = differ ? __uint_as_float(kNaNScale) : 1.0f / Tile::kBlock;
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) x[k] *= factor;
  sink.store(tile, x);
}

template <bool kBack>
void launch_rotate(std::size_t block, const SignKey& signs, Tensor<float> values,
                   cudaStream_t stream) {
  require(block != 0 && values.elements % block == 0, "a rotation takes whole blocks");
  with_rotation<4, 5, 6, 7, 8, 9, 10, 11, 12, 13>(block, [&]<int kLog>(RotationLog<kLog>) {
    if (values.elements == 0) return;
    launch(rotate_kernel<kLog, kBack>, rotation_grid<kLog>(values.elements, stream), values,
           signs_of(signs));
  });
}

// Calls launch with the rotation and the static format within of a row of the registry.
template <typename Launch>
void with_rotated_format(const Format& format, Launch launch) {
  Format inner = format;
  inner.rotation = Rotation::none;
  require(format.rotation == Rotation::random_signs && format.scale == Scale::amax,
          "no CUDA kernel has this format");
  if (format.rounding == Rounding::stochastic) {
    require(format.block == 128, "no CUDA kernel has this format");
    require(is_format<StaticFormat<4, 128, true, false>>(inner), "no CUDA kernel has this format");
    launch(RotationLog<7>{}, StaticFormat<4, 128, true, false>{}, inner);
  } else {
    require(format.block == 4096, "no CUDA kernel has this format");
    require(is_format<StaticFormat<4, 128, false, false>>(inner), "no CUDA kernel has this format");
    launch(RotationLog<12>{}, StaticFormat<4, 128, false, false>{}, inner);
  }
}

template <typename Value>
void launch_encode_rotated(const Format& format, Tensor<const Value> values, const Encoding& to,
                           cudaStream_t stream) {
  const std::size_t elements = rotated_elements(format, values.elements);
  with_rotated_format(
      format, [&]<int kLog, typename Static>(RotationLog<kLog>, Static, const Format& inner) {
        if (elements == 0) return;
        const TensorSource<Value> source{values.values, values.elements};
        const EncodeShape shape{
            .elements = elements, .wire = wire_shape(inner, elements), .draw = draw_of(to.key)};
        launch(encode_rotated_kernel<kLog, Static, TensorSource<Value>>,
               rotation_grid<kLog>(elements, stream), source, shape, signs_of(sign_key(to.key)),
               EncodeOutput{to.wires, to.nonfinite});
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
  with_rotated_format(
      format, [&]<int kLog, typename Static>(RotationLog<kLog>, Static, const Format& inner) {
        if (elements == 0) return;
        auto source = sum_source<Static>(inner, wires, elements);
        source.wires += kSignKeyBytes;
        source.wire_bytes += kSignKeyBytes;
        using Sink = TensorSink<float>;
        launch(decode_rotated_kernel<kLog, decltype(source), Sink>,
               rotation_grid<kLog>(elements, stream), source, Sink{sums.values, sums.elements});
      });
}

}  // namespace codecs::cuda
