// SPDX-License-Identifier: Apache-2.0
#include "codecs/eden/kernels.hpp"
#include "codecs/eden/lane.cuh"
#include "codecs/eden/sums.cuh"
#include "codecs/rotation/in_turns.cuh"
#include "codecs/rotation/launch.cuh"

namespace codecs::cuda {
namespace {

// x is rotated, and `bits` are of the largest magnitude before.
template <int kBits, typename Tile>
__device__ EdenWords<Tile> quantise(float (&x)[Tile::kHeld], std::uint32_t bits,
                                    float (&sums)[2][kEdenRuns<Tile>]) {
  constexpr float kSize = Tile::kBlock;
  constexpr int kWords = kEdenWords<Tile>;
  // 2^(127 - e) and its inverse, by their bits.
  const std::uint32_t exponent = bits >> 23;
  const float power = __uint_as_float(exponent < 254 ? (254 - exponent) << 23 : 1u << 23);
  const float inverse_power = __uint_as_float((exponent < 253 ? exponent : 253u) << 23);
  EdenWords<Tile> group = signs_of_codes<kBits, Tile>(x);
  float partial[kWords] = {};
#pragma unroll
  for (int i = 0; i < Tile::kHeld; ++i) {
    x[i] = fabsf(x[i]) * power;
    partial[i % kWords] = __fmaf_rn(x[i], x[i], partial[i % kWords]);
  }
  const float square = group_sum<Tile>(partial, sums[0]);
  const float inverse = __fsqrt_rn(__fdiv_rn(kSize, square));
#pragma unroll
  for (int m = 0; m < kWords; ++m) {
    partial[m] = add_magnitudes<kBits, kWords>(x + m, inverse, group.words[m]);
  }
  const float product = group_sum<Tile>(partial, sums[1]);
  group.scale = __fdiv_rn(square, product) * (1 / kSize) * inverse_power;
  const bool tiny = __uint_as_float(bits) < kTinyGroup;
  const bool finite = bits < kInfinityBits && __float_as_uint(square) < kInfinityBits;
  if (tiny || !finite) group = {.scale = tiny ? 0.0f : __uint_as_float(kNaNScale)};
  return group;
}

template <int kBits, int kLog, typename Source>
__global__ void __launch_bounds__(EdenTile<kLog>::kThreads, kEncodeBlocks<kLog>)
    encode_eden_kernel(Source source, EdenShape shape, Signs signs, EncodeOutput output) {
  using Tile = EdenTile<kLog>;
  __shared__ float exchange[Tile::kExchange];
  __shared__ uint4 draws[Tile::kDraws];
  __shared__ float sums[2][kEdenRuns<Tile>];
  __shared__ std::uint32_t largest[Tile::kThreads / kWarpLanes];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  float x[Tile::kHeld];
  load_row<Tile::kElements>(source.values, source.elements, first, x);
  const auto order = row_order(source.values);
  draw_signs<Tile>(signs, first, draws);
  std::uint32_t bits = share_largest<Tile>(magnitude_bits(x), largest);
  __syncthreads();
  bits = shared_largest<Tile>(bits, largest);
  flip_signs<Tile>(x, signs, first, draws, order);
  rotate_lane<Tile>(x, exchange, order);
  const EdenWords<Tile> words = quantise<kBits, Tile>(x, bits, sums);

  const int t = static_cast<int>(threadIdx.x) % Tile::kLanes;
  const std::size_t group = (first + threadIdx.x * Tile::kHeld) / Tile::kBlock;
  if (group >= shape.groups) return;
  if (group == 0 && t == 0) store_signs(signs, output.wires);
  std::byte* const codes = output.wires + kSignKeyBytes + group * (Tile::kBlock * kBits / 8);
#pragma unroll
  for (int m = 0; m < kEdenWords<Tile>; ++m) {
    store_word<kBits, Tile::kBlock>(words.words[m], t + m * Tile::kLanes, codes);
  }
  if (t != 0) return;
  auto* const scales = reinterpret_cast<float*>(output.wires + shape.scales);
  scales[group] = words.scale;
  if (bits >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
  if (group + 1 != shape.groups) return;
  const std::size_t padded = (shape.wire_bytes - shape.scales) / sizeof(float);
  for (std::size_t pad = shape.groups; pad < padded; ++pad) scales[pad] = 0;
}

template <int kBits, int kLog>
struct EdenSource {
  using Tile = EdenTile<kLog>;
  static constexpr int kWords = kEdenWords<Tile>;
  // Of two that take turns; of few bits, twice as many wires fit into the same registers.
  static constexpr int kBatch = kBits > 2 ? kEdenWiresInFlight / 2 : kEdenWiresInFlight;
  using Batch = EdenWords<Tile>[kBatch];
  const std::byte* wires = nullptr;
  EdenShape shape;
  int inputs = 1;

  // The words and scales of up to kBatch wires from `input`; a group beyond the end has none.
  __device__ void load(int input, std::size_t group, Batch& batch) const {
    constexpr int kBlock = Tile::kBlock;
    const int t = static_cast<int>(threadIdx.x) % Tile::kLanes;
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (input + i >= inputs || group >= shape.groups) continue;
      const std::byte* wire = wires + static_cast<std::size_t>(input + i) * shape.wire_bytes;
      const std::byte* codes = wire + kSignKeyBytes + group * (kBlock * kBits / 8);
#pragma unroll
      for (int m = 0; m < kWords; ++m) {
        batch[i].words[m] = load_word<kBits, kBlock>(codes, t + m * Tile::kLanes);
      }
      batch[i].scale = __ldg(reinterpret_cast<const float*>(wire + shape.scales) + group);
    }
  }

  __device__ void add(int input, const Batch& batch, float (&x)[Tile::kHeld]) const {
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (input + i >= inputs) break;
#pragma unroll
      for (int m = 0; m < kWords; ++m) {
        add_word<kBits, kWords>(batch[i].words[m], batch[i].scale, x + m);
      }
    }
  }
};

template <int kBits, int kLog, typename Sink>
__global__ void __launch_bounds__(EdenTile<kLog>::kThreads, kDecodeBlocks<kLog>)
    decode_eden_kernel(EdenSource<kBits, kLog> source, Sink sink) {
  using Tile = EdenTile<kLog>;
  __shared__ float exchange[Tile::kExchange];
  __shared__ uint4 draws[Tile::kDraws];
  const std::size_t first = std::size_t{blockIdx.x} * Tile::kElements;
  const std::size_t group = (first + threadIdx.x * Tile::kHeld) / Tile::kBlock;
  typename EdenSource<kBits, kLog>::Batch batch = {};
  source.load(0, group, batch);
  const Signs signs = load_signs(source.wires);
  draw_signs<Tile>(signs, first, draws);
  const bool differ = __syncthreads_or(signs_differ(signs, source.wires, source.shape.wire_bytes,
                                                    source.inputs)) != 0;
  float x[Tile::kHeld] = {};
  add_in_turns<source.kBatch>(
      source.inputs, batch, [&](int input, auto& next) { source.load(input, group, next); },
      [&](int input, const auto& those) { source.add(input, those, x); });
  const auto order = row_order(sink.values);
  rotate_lane_back<Tile>(x, exchange, order);
  flip_signs<Tile>(x, signs, first, draws, order);
  if (differ) {
#pragma unroll
    for (int k = 0; k < Tile::kHeld; ++k) x[k] = __uint_as_float(kNaNScale);
  }
  store_row<Tile::kElements>(x, sink.elements, first, sink.values);
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
           rotation_grid<EdenTile<kLog>>(values.elements, stream),
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
                     rotation_grid<EdenTile<kLog>>(sums.elements, stream), source,
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
