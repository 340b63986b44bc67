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
  constexpr int kParts = kRow / kLaneElements;
  GroupScale<kCoding> scales[kParts];
  std::uint32_t largest = 0;
  float tensor = 1;
  if constexpr (kCoding == Coding::nested) {
    tensor = tensor_scale(*shape.rule.tensor_amax, shape.rule).multiply;
  }
  if constexpr (kGroup > kRow) {
    largest = max_over_lanes<kGroup / kRow>(magnitude_bits(x));
    scales[0] = group_scale<Static::kElement, kCoding>({.amax_bits = largest}, shape.rule);
  }
  uint2 codes[kParts];
#pragma unroll
  for (int p = 0; p < kParts; ++p) {
    float part[kLaneElements];
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) part[i] = x[kLaneElements * p + i];
    if constexpr (kGroup == kLaneElements) {
      const std::uint32_t bits = magnitude_bits(part);
      largest = max(largest, bits);
      scales[p] = nested_scale(bits, tensor);
    } else {
      scales[p] = scales[0];
    }
    uint4 random = {};
    if constexpr (Static::kStochastic) {
      const std::size_t at = element + kLaneElements * p;
      random =
          in_order(draw_block(shape.draw, shape.draw.first_block + at / kElementsPerDraw), order);
    }
    codes[p] = in_order(codes_of_lane<Static>(part, scales[p], random), order);
  }
#pragma unroll
  for (int p = 0; p < kParts; p += 2) {
    const std::size_t at = (element + kLaneElements * p) / 2;
    if (at < shape.wire.payload_bytes) {
      *reinterpret_cast<uint4*>(output.wires + at) =
          make_uint4(codes[p].x, codes[p].y, codes[p + 1].x, codes[p + 1].y);
    }
  }
#pragma unroll
  for (int p = 0; p < kParts; ++p) {
    const std::size_t at = element + kLaneElements * p;
    if (at % kGroup == 0 && at < shape.elements) {
      store_scale<kCoding>(shape, static_cast<std::uint32_t>(at / kGroup), scales[p].stored,
                           output.wires);
    }
  }
  if (largest >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
}

}  // namespace codecs::cuda
