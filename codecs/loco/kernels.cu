// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/feedback/feedback.cuh"
#include "codecs/loco/kernels.hpp"

namespace codecs::cuda {
namespace {

template <int kTiles>
using LocoFormats = Formats<StaticFormat<E::int8, C::full, kNearest, false, kTiles>,
                            StaticFormat<E::int8, C::symmetric, kNearest, false, kTiles>,
                            StaticFormat<E::int8, C::symmetric, kRandom, false, kTiles>,
                            StaticFormat<E::int4, C::full, kNearest, false, kTiles>,
                            StaticFormat<E::int4, C::symmetric, kNearest, false, kTiles>,
                            StaticFormat<E::int4, C::symmetric, kRandom, false, kTiles>>;

using ResidualFormat = StaticFormat<E::int8, C::full>;

// Codes and scales of groups in memory, one wire.
struct Part {
  EncodeShape shape;
  std::byte* wire = nullptr;
};

template <Coding kCoding, int kTiles>
__device__ std::uint32_t amax_bits_of(const float (&x)[kTiles][kLaneElements], int lanes) {
  GroupStatistics group;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) group.amax_bits = max(group.amax_bits, magnitude_bits(x[t]));
  return over_lanes<kCoding>(group, kTiles > 1 ? kWarpLanes : lanes).amax_bits;
}

// Stores one group's scale, by the lane that has its first value.
template <Coding kCoding>
__device__ void store_group_scale(const Part& to, std::size_t element, float stored) {
  const std::size_t group = element >> to.shape.group_log2;
  if (group << to.shape.group_log2 != element || element >= to.shape.elements) return;
  store_scale<kCoding>(to.shape, static_cast<std::uint32_t>(group), stored, to.wire);
}

// Codes of one tile of a lane, and what they stand for.
template <typename Static>
__device__ Packed<Static::kElement> store_codes(const Part& to, std::size_t element,
                                                const float (&x)[kLaneElements],
                                                const GroupScale<Static::kCoding>& scale) {
  const Draw& draw = to.shape.draw;
  const auto codes =
      encode_lane<Static>(x, scale, draw, draw.first_block + element / kElementsPerDraw);
  const std::size_t offset = element * Static::kBits / 8;
  if (offset < to.shape.wire.payload_bytes) {
    *reinterpret_cast<Packed<Static::kElement>*>(to.wire + offset) = codes;
  }
  return codes;
}

__device__ inline Packed<E::int8> load_codes(const Part& from, std::size_t element) {
  if (element >= from.shape.wire.payload_bytes) return {};
  return *reinterpret_cast<const Packed<E::int8>*>(from.wire + element);
}

__device__ inline float load_scale(const Part& from, std::size_t element) {
  if (element >= from.shape.elements) return 0;
  const auto* scales = reinterpret_cast<const float*>(from.wire + from.shape.wire.scales_offset);
  return scales[element >> from.shape.group_log2];
}

__device__ inline void decode_lane(const Packed<E::int8>& codes, float scale,
                                   float (&x)[kLaneElements]) {
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) x[i] = 0;
  add_codes<E::int8, C::full>(codes, {scale, 0}, x);
}

// The residual stays in registers as its codes, a quarter of its values' size.
template <typename Static, typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock, 2)
    loco_kernel(TensorSource<Value> values, Feedback feedback, Part residual, Part wire,
                unsigned* nonfinite) {
  constexpr int kTiles = Static::kTiles;
  constexpr Coding kCoding = Static::kCoding;
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t first = warp * kTiles * kTileElements;
  if (first >= values.elements) return;
  const std::size_t element = first + threadIdx.x % kWarpLanes * kLaneElements;
  const int lanes = wire.shape.lanes_per_group;

  const float old_scale = load_scale(residual, element);
  Packed<E::int8> old_codes[kTiles];
  float x[kTiles][kLaneElements];
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    old_codes[t] = load_codes(residual, element + t * kTileElements);
  }
  load_tiles(values, first, x);
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    float old[kLaneElements];
    decode_lane(old_codes[t], old_scale, old);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      x[t][i] = __fmaf_rn(feedback.carry, old[i], feedback.gain * x[t][i]);
    }
  }

  const std::uint32_t bits = amax_bits_of<kCoding>(x, lanes);
  const auto scale = float_scale<kCoding>(bits, wire.shape.rule);
  store_group_scale<kCoding>(wire, element, scale.stored);
  if (bits >= kInfinityBits && nonfinite != nullptr) *nonfinite = 1;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const auto codes = store_codes<Static>(wire, element + t * kTileElements, x[t], scale);
    float old[kLaneElements], decoded[kLaneElements] = {};
    decode_lane(old_codes[t], old_scale, old);
    add_codes<Static::kElement, kCoding>(codes, {scale.stored, 0}, decoded);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      x[t][i] = next_residual(feedback, old[i], x[t][i], decoded[i]);
    }
  }

  const std::uint32_t kept_bits = amax_bits_of<C::full>(x, lanes);
  if (bits >= kInfinityBits) return;
  const auto kept = float_scale<C::full>(kept_bits, residual.shape.rule);
  store_group_scale<C::full>(residual, element, kept.stored);
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    (void)store_codes<ResidualFormat>(residual, element + t * kTileElements, x[t], kept);
  }
}

template <typename Value>
void encode_loco(const Loco& loco, Tensor<const Value> values, std::byte* residual,
                 const Encoding& to, cudaStream_t stream) {
  require(loco.wire.group <= 2048, "kernels take groups of up to 2048");
  if (values.elements == 0) return;
  const Part error{encode_shape(residual_format(loco), values.elements, {}), residual};
  const Part wire{encode_shape(loco.wire, values.elements, to), to.wires};
  const auto encode_with = [&]<typename Static>(Static) {
    launch(loco_kernel<Static, Value>,
           {.blocks = blocks_for(values.elements, std::size_t{Static::kTiles} * kTileElements),
            .stream = stream},
           TensorSource<Value>{values.values, values.elements}, loco.feedback, error, wire,
           to.nonfinite);
  };
  switch (tiles_of(loco.wire)) {
    case 1:
      return with_format(LocoFormats<1>{}, loco.wire, encode_with);
    case 2:
      return with_format(LocoFormats<2>{}, loco.wire, encode_with);
    default:
      return with_format(LocoFormats<4>{}, loco.wire, encode_with);
  }
}

}  // namespace

void encode_loco_async(const Loco& loco, Tensor<const float> values, std::byte* residual,
                       const Encoding& to, cudaStream_t stream) {
  encode_loco(loco, values, residual, to, stream);
}

void encode_loco_async(const Loco& loco, Tensor<const Bf16> values, std::byte* residual,
                       const Encoding& to, cudaStream_t stream) {
  encode_loco(loco, values, residual, to, stream);
}

}  // namespace codecs::cuda
