// SPDX-License-Identifier: Apache-2.0
#include "codecs/eden/kernels.hpp"
#include "codecs/eden/lane.cuh"
#include "codecs/rotation/launch.cuh"

namespace codecs::cuda {
namespace {

// A group's codes, as its threads have them, and its scale.
struct EdenWords {
  std::uint32_t words[2] = {};
  float scale = 0;
};

// x is rotated, and `bits` are of the largest magnitude before.
template <int kBits, int kLog>
__device__ EdenWords quantise(float (&x)[kLaneElements], std::uint32_t bits, const float* levels,
                              float (*sums)[RotationTile<kLog>::kThreads / kWarpLanes]) {
  constexpr float kSize = RotationTile<kLog>::kBlock;
  // 2^(127 - e) and its inverse, by their bits.
  const std::uint32_t exponent = bits >> 23;
  const float power = __uint_as_float(exponent < 254 ? (254 - exponent) << 23 : 1u << 23);
  const float inverse_power = __uint_as_float((exponent < 253 ? exponent : 253u) << 23);
  float square = 0;
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) {
    x[k] *= power;
    square = __fmaf_rn(x[k], x[k], square);
  }
  square = group_sum<kLog>(square, sums[0]);
  const float inverse = __fsqrt_rn(__fdiv_rn(kSize, square));
  EdenWords group;
  float product = 0;
#pragma unroll
  for (int k = 0; k < kLaneElements; ++k) {
    const float v = x[k] * inverse;
    const std::uint32_t code =
        nearest_centroid<kBits>(fabsf(v)) | __float_as_uint(v) >> 31 << (kBits - 1);
    put_code<kBits>(code, k, group.words);
    product = __fmaf_rn(levels[code], x[k], product);
  }
  product = group_sum<kLog>(product, sums[1]);
  group.scale = __fdiv_rn(square, product) * (1 / kSize) * inverse_power;
  const bool tiny = __uint_as_float(bits) < kTinyGroup;
  const bool finite = bits < kInfinityBits && __float_as_uint(square) < kInfinityBits;
  if (tiny || !finite) group = {.scale = tiny ? 0.0f : __uint_as_float(kNaNScale)};
  return group;
}

template <int kBits, int kLog, typename Source>
__global__ void __launch_bounds__(RotationTile<kLog>::kThreads)
    encode_eden_kernel(Source source, EdenShape shape, Signs signs, EncodeOutput output) {
  using Tile = RotationTile<kLog>;
  __shared__ float exchange[Tile::kExchange];
  __shared__ uint4 draws[Tile::kDraws];
  __shared__ float levels[kEdenLevels];
  __shared__ float sums[2][Tile::kThreads / kWarpLanes];
  __shared__ std::uint32_t largest[Tile::kThreads / kWarpLanes];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  float x[kLaneElements];
  load_tile(source, first + threadIdx.x / kWarpLanes * kTileElements, x);
  draw_signs<kLog>(signs, first, draws);
  fill_levels<kBits>(levels);
  std::uint32_t bits = share_largest<kLog>(magnitude_bits(x), largest);
  __syncthreads();
  bits = shared_largest<kLog>(bits, largest);
  flip_signs(x, signs, first, draws);
  rotate_lane<kLog>(x, exchange);
  const EdenWords words = quantise<kBits, kLog>(x, bits, levels, sums);

  const int t = static_cast<int>(threadIdx.x) % Tile::kLanes;
  const std::size_t group = (first + threadIdx.x * kLaneElements) / Tile::kBlock;
  if (group >= shape.groups) return;
  if (group == 0 && t == 0) store_signs(signs, output.wires);
  std::byte* const codes = output.wires + kSignKeyBytes;
  store_word_of_codes<kBits, Tile::kBlock>(words.words, t,
                                           codes + group * (Tile::kBlock * kBits / 8));
  if (t != 0) return;
  auto* const scales = reinterpret_cast<float*>(output.wires + shape.scales);
  scales[group] = words.scale;
  if (bits >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
  if (group + 1 != shape.groups) return;
  const std::size_t padded = (shape.wire_bytes - shape.scales) / sizeof(float);
  for (std::size_t pad = shape.groups; pad < padded; ++pad) scales[pad] = 0;
}

// Wires whose loads are in flight together.
inline constexpr int kEdenBatch = kEdenWiresInFlight;

template <int kBits, int kLog>
struct EdenSource {
  const std::byte* wires = nullptr;
  EdenShape shape;
  int inputs = 1;

  // The words and scales of up to kEdenBatch wires from `input`; a group beyond the end has none.
  __device__ void load(int input, std::size_t group, EdenWords (&batch)[kEdenBatch]) const {
    constexpr int kBlock = RotationTile<kLog>::kBlock;
    const int t = static_cast<int>(threadIdx.x) % RotationTile<kLog>::kLanes;
#pragma unroll
    for (int i = 0; i < kEdenBatch; ++i) {
      if (input + i >= inputs || group >= shape.groups) continue;
      const std::byte* wire = wires + static_cast<std::size_t>(input + i) * shape.wire_bytes;
      load_word_of_codes<kBits, kBlock>(wire + kSignKeyBytes + group * (kBlock * kBits / 8), t,
                                        batch[i].words);
      batch[i].scale = __ldg(reinterpret_cast<const float*>(wire + shape.scales) + group);
    }
  }

  __device__ void add(int input, const EdenWords (&batch)[kEdenBatch], const float* levels,
                      float (&x)[kLaneElements]) const {
#pragma unroll
    for (int i = 0; i < kEdenBatch; ++i) {
      if (input + i >= inputs) break;
#pragma unroll
      for (int k = 0; k < kLaneElements; ++k) {
        x[k] = __fmaf_rn(levels[get_code<kBits>(batch[i].words, k)], batch[i].scale, x[k]);
      }
    }
  }
};

template <int kBits, int kLog, typename Sink>
__global__ void __launch_bounds__(RotationTile<kLog>::kThreads)
    decode_eden_kernel(EdenSource<kBits, kLog> source, Sink sink) {
  using Tile = RotationTile<kLog>;
  __shared__ float exchange[Tile::kExchange];
  __shared__ uint4 draws[Tile::kDraws];
  __shared__ float levels[kEdenLevels];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  const std::size_t group = (first + threadIdx.x * kLaneElements) / Tile::kBlock;
  EdenWords batch[kEdenBatch] = {};
  source.load(0, group, batch);
  const Signs signs = load_signs(source.wires);
  draw_signs<kLog>(signs, first, draws);
  fill_levels<kBits>(levels);
  const bool differ = __syncthreads_or(signs_differ(signs, source.wires, source.shape.wire_bytes,
                                                    source.inputs)) != 0;
  float x[kLaneElements] = {};
  for (int input = 0; input < source.inputs; input += kEdenBatch) {
    if (input > 0) source.load(input, group, batch);
    source.add(input, batch, levels, x);
  }
  rotate_lane_back<kLog>(x, exchange);
  flip_signs(x, signs, first, draws);
  if (differ) {
#pragma unroll
    for (int k = 0; k < kLaneElements; ++k) x[k] = __uint_as_float(kNaNScale);
  }
  const std::size_t tile = first + threadIdx.x / kWarpLanes * kTileElements;
  sink.store(tile, x, sink.fetch(tile));
}

// Calls launch with the bits and the rotation of an EDEN format.
template <typename Launch>
void with_eden(const Format& format, Launch launch) {
  require(format.scale == Scale::matched && format.rotation == Rotation::random_signs &&
              format.group == format.block,
          "no CUDA kernel has this format");
  with_rotation<7, 10, 11, 12, 13>(format.block, [&]<int kLog>(RotationLog<kLog> rotation) {
    switch (format.element) {
      case Element::lloyd1:
        return launch(std::integral_constant<int, 1>{}, rotation);
      case Element::lloyd2:
        return launch(std::integral_constant<int, 2>{}, rotation);
      case Element::lloyd3:
        return launch(std::integral_constant<int, 3>{}, rotation);
      case Element::lloyd4:
        return launch(std::integral_constant<int, 4>{}, rotation);
      default:
        require(false, "no CUDA kernel has this format");
    }
  });
}

EdenShape eden_shape(const Format& format, std::size_t elements) {
  const std::size_t coded = rotated_elements(format, elements);
  return {.wire_bytes = encoded_bytes(format, elements),
          .scales = kSignKeyBytes + coded / 8 * static_cast<std::size_t>(bits_of(format.element)),
          .groups = coded / format.group};
}

template <typename Value>
void launch_encode(const Format& format, Tensor<const Value> values, const Encoding& to,
                   cudaStream_t stream) {
  require(to.key.first_element % kElementsPerDraw == 0, "first_element is a multiple of 16");
  with_eden(format, [&]<int kBits, int kLog>(std::integral_constant<int, kBits>,
                                             RotationLog<kLog>) {
    if (values.elements == 0) return;
    launch(encode_eden_kernel<kBits, kLog, TensorSource<Value>>,
           rotation_grid<kLog>(values.elements, stream),
           TensorSource<Value>{values.values, values.elements}, eden_shape(format, values.elements),
           signs_of(sign_key(to.key)), EncodeOutput{to.wires, to.nonfinite});
  });
}

template <typename Value>
void launch_decode(const Format& format, const Wires& wires, Tensor<Value> sums,
                   cudaStream_t stream) {
  with_eden(format,
            [&]<int kBits, int kLog>(std::integral_constant<int, kBits>, RotationLog<kLog>) {
              if (sums.elements == 0) return;
              const EdenSource<kBits, kLog> source{wires.bytes, eden_shape(format, sums.elements),
                                                   wires.inputs};
              launch(decode_eden_kernel<kBits, kLog, TensorSink<Value>>,
                     rotation_grid<kLog>(sums.elements, stream), source,
                     TensorSink<Value>{sums.values, sums.elements});
            });
}

}  // namespace

void encode_eden_async(const Format& format, Tensor<const float> values, const Encoding& to,
                       cudaStream_t stream) {
  launch_encode(format, values, to, stream);
}

void encode_eden_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                       cudaStream_t stream) {
  launch_encode(format, values, to, stream);
}

void decode_reduce_eden_async(const Format& format, const Wires& wires, Tensor<float> sums,
                              cudaStream_t stream) {
  launch_decode(format, wires, sums, stream);
}

void decode_reduce_eden_async(const Format& format, const Wires& wires, Tensor<Bf16> sums,
                              cudaStream_t stream) {
  launch_decode(format, wires, sums, stream);
}

}  // namespace codecs::cuda
