// SPDX-License-Identifier: Apache-2.0
// Rows of 64 values, rotated and encoded as groups of 16 or of 128, which are those of the rotated
// formats.
#pragma once

#include "codecs/cuda/encode.cuh"
#include "codecs/rotation/rows.cuh"

namespace codecs::cuda {

// Loads, flips and rotates; returns the order in which x is then.
template <int kLog, typename Source>
__device__ auto load_rotated(const Source& source, const Signs& signs, std::size_t first,
                             float (&x)[kRow]) {
  using Tile = RowTile;
  static_assert(kLog <= kRowLog + 1 || kLog == Tile::kLog);
  __shared__ uint4 draws[Tile::kDraws];
  load_row<Tile::kElements>(source.values, source.elements, first, x);
  const auto order = row_order(source.values);
  draw_signs<Tile>(signs, first, draws);
  __syncthreads();
  flip_signs<Tile>(x, signs, first, draws, order);
  if constexpr (kLog <= kRowLog + 1) {
#pragma unroll
    for (int bit = 0; bit < kLog && bit < kRowLog; ++bit) butterfly(x, 1 << bit, order);
    if constexpr (kLog > kRowLog) butterfly_with_neighbour(x, order);
    return order;
  } else {
    __shared__ float exchange[Tile::kExchange];
    rotate_lane<Tile>(x, exchange, order);
    rotation_barrier<Tile>();
    regroup<Tile, Tile::kTop, 0>(x, exchange);
    return Order<0>{};
  }
}

// Words of 16 random bytes, from the elements' order to a thread's.
template <int kMask>
__device__ uint4 in_order(const uint4& random, Order<kMask> order) {
  uint4 r = random;
  if constexpr ((kMask & 8) != 0) {
    r = choose((order.flip & 8) != 0, make_uint4(r.z, r.w, r.x, r.y), r);
  }
  if constexpr ((kMask & 4) != 0) {
    r = choose((order.flip & 4) != 0, make_uint4(r.y, r.x, r.w, r.z), r);
  }
  return r;
}
// The row's part of a wire. x[0] is element `element`, as after load_rotated().
template <typename Static, int kGroup, int kMask>
__device__ void encode_row(const float (&x)[kRow], Order<kMask> order, std::size_t element,
                           const EncodeShape& shape, const EncodeOutput& output) {
  static_assert(Static::kBits == 4 && (kGroup == kLaneElements || kGroup == 2 * kRow));
  constexpr Coding kCoding = Static::kCoding;
  using Scale = GroupScale<kCoding>;
  Scale scale;
  std::uint32_t largest = 0;
  if constexpr (kGroup > kRow) {
    largest = max_over_lanes<kGroup / kRow>(magnitude_bits(x));
    scale = group_scale<Static::kElement, kCoding>({.amax_bits = largest}, shape.rule);
  }
#pragma unroll
  for (int begin = 0; begin < kRow; begin += kLaneElements) {
    float part[kLaneElements];
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) part[i] = x[begin + i];
    const std::size_t at = element + begin;
    if constexpr (kGroup == kLaneElements) {
      const std::uint32_t bits = magnitude_bits(part);
      largest = max(largest, bits);
      scale = group_scale<Static::kElement, kCoding>({.amax_bits = bits}, shape.rule);
    }
    uint4 random = {};
    if constexpr (Static::kStochastic) {
      random =
          in_order(draw_block(shape.draw, shape.draw.first_block + at / kElementsPerDraw), order);
    }
    const uint2 codes = in_order(codes_of_lane<Static>(part, scale, random), order);
    if (at / 2 < shape.wire.payload_bytes) {
      *reinterpret_cast<uint2*>(output.wires + at / 2) = codes;
    }
    if (at % kGroup == 0 && at < shape.elements) {
      store_scale<kCoding>(shape, static_cast<std::uint32_t>(at / kGroup), scale.stored,
                           output.wires);
    }
  }
  if (largest >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
}

}  // namespace codecs::cuda
