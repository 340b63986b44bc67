// SPDX-License-Identifier: Apache-2.0
// Sums of wires of codes of 4 bits, in rows of 64 values, and their rotation back.
#pragma once

#include "codecs/cuda/sources.cuh"
#include "codecs/rotation/rows.cuh"

namespace codecs::cuda {

// A row's codes in one wire, and the scales of its groups: one of 128, or four of 16 in a word.
template <Coding kCoding>
struct RowCodes {
  uint4 codes[2] = {};
  std::conditional_t<kCoding == Coding::nested, std::uint32_t, float> scales = 0;
  float tensor = 1;
};

// Wires whose loads begin together, in each of two turns.
inline constexpr int kRowBatch = 2;
// Blocks on a multiprocessor, so that a thread has at most 128 registers.
inline constexpr int kRowDecodeBlocks = 512 / RowTile::kThreads;

template <Element kElement, Coding kCoding, int kGroup>
struct RowSum {
  static_assert(kBitsOf<kElement> == 4 && kGroup == (kCoding == Coding::nested ? 16 : 128));
  using Batch = RowCodes<kCoding>[kRowBatch];
  WireReader reader;

  // Of up to kRowBatch wires from `input`, the row of element `element`; nothing beyond the end.
  __device__ void load(int input, std::size_t element, Batch& batch) const {
    const std::size_t scale = reader.scales_offset + element / kGroup * sizeof(Stored<kCoding>);
#pragma unroll
    for (int i = 0; i < kRowBatch; ++i) {
      if (input + i >= reader.inputs || element / 2 >= reader.payload_bytes) continue;
      const std::byte* const wire =
          reader.wires + static_cast<std::size_t>(input + i) * reader.wire_bytes;
      const auto* const codes = reinterpret_cast<const uint4*>(wire + element / 2);
      batch[i].codes[0] = __ldg(codes);
      if (element / 2 + 16 < reader.payload_bytes) batch[i].codes[1] = __ldg(codes + 1);
      batch[i].scales = __ldg(reinterpret_cast<const decltype(batch[i].scales)*>(wire + scale));
      if constexpr (kCoding == Coding::nested) {
        batch[i].tensor = __ldg(reinterpret_cast<const float*>(wire + reader.payload_bytes));
      }
    }
  }

  // x += the batch's values, in this order.
  template <int kMask>
  __device__ void add(int input, const Batch& batch, Order<kMask> order, float (&x)[kRow]) const {
#pragma unroll
    for (int i = 0; i < kRowBatch; ++i) {
      if (input + i >= reader.inputs) break;
#pragma unroll
      for (int c = 0; c < kRow / kLaneElements; ++c) {
        const uint4& pair = batch[i].codes[c / 2];
        const uint2 codes = c % 2 == 0 ? make_uint2(pair.x, pair.y) : make_uint2(pair.z, pair.w);
        Stored<kCoding> scale;
        if constexpr (kCoding == Coding::nested) {
          scale = static_cast<std::uint8_t>(batch[i].scales >> (8 * c));
        } else {
          scale = batch[i].scales;
        }
        float part[kLaneElements];
#pragma unroll
        for (int k = 0; k < kLaneElements; ++k) part[k] = x[kLaneElements * c + k];
        add_codes<kElement, kCoding>(in_order(codes, order),
                                     decoded_step<kElement, kCoding>(scale, batch[i].tensor), part);
#pragma unroll
        for (int k = 0; k < kLaneElements; ++k) x[kLaneElements * c + k] = part[k];
      }
    }
  }
};

// Rotates back, from the elements' order where the blocks go through shared memory, and else from
// `order`, to `order`.
template <int kLog, int kMask>
__device__ void rotate_row_back(float (&x)[kRow], float* exchange, Order<kMask> order) {
  if constexpr (kLog <= kRowLog + 1) {
    if constexpr (kLog > kRowLog) butterfly_with_neighbour(x, order);
#pragma unroll
    for (int bit = kLog < kRowLog ? kLog - 1 : kRowLog - 1; bit >= 0; --bit) {
      butterfly(x, 1 << bit, order);
    }
  } else {
    regroup<RowTile, 0, RowTile::kTop>(x, exchange);
    rotation_barrier<RowTile>();
    rotate_lane_back<RowTile>(x, exchange, order);
  }
}

}  // namespace codecs::cuda
