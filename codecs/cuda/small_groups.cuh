// SPDX-License-Identifier: Apache-2.0
// Encodes of groups that share a tile with others, where instructions bind them. A warp takes several tiles,
// so that what it does once (addresses, bounds) is for more values; and where a group has as many lanes, each
// computes the scale of one tile's group and hands it to the others. Encodes that memory binds stay with one
// tile: on an H100 small tensors then take up to a quarter less.
#pragma once

#include "codecs/cuda/encode.cuh"

namespace codecs::cuda {

template <typename Source>
inline constexpr bool kIsTensor = false;
template <typename Value>
inline constexpr bool kIsTensor<TensorSource<Value>> = true;

// Whether it does. Sources of more than a tensor need the registers for what they load, and groups of FP4
// have fewer lanes.
template <typename Static, typename Source>
inline constexpr bool kTakesSeveral = kSmallGroupTiles > 1 && Static::kTiles == 1 &&
                                      kIsTensor<Source>&& Static::kElement != Element::e2m1 &&
                                      (Static::kStochastic || kIsTable<Static::kElement> ||
                                       Static::kCoding == Coding::offset);

// Member by member: a choice between array elements as a whole would be one of addresses (lane.cuh).
__device__ inline void choose(bool other, const GroupStatistics& from, GroupStatistics& group) {
  group.amax_bits = other ? from.amax_bits : group.amax_bits;
  group.low = other ? from.low : group.low;
  group.high = other ? from.high : group.high;
  group.squares = other ? from.squares : group.squares;
}

// Of the lane's group in each tile. `own`: of the tile whose number is the lane's, in the group's lanes.
template <typename Static, int kTiles>
__device__ void scales_of(const GroupStatistics (&groups)[kTiles], const EncodeShape& shape,
                          GroupScale<Static::kCoding> (&scales)[kTiles],
                          GroupScale<Static::kCoding>& own) {
  if (shape.lanes_per_group < kTiles) {
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      scales[t] = group_scale<Static::kElement, Static::kCoding>(groups[t], shape.rule);
    }
    return;
  }
  GroupStatistics group = groups[0];
#pragma unroll
  for (int t = 1; t < kTiles; ++t) {
    choose(threadIdx.x % kTiles == static_cast<unsigned>(t), groups[t], group);
  }
  own = group_scale<Static::kElement, Static::kCoding>(group, shape.rule);
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    scales[t].multiply = __shfl_sync(kAllLanes, own.multiply, t, kTiles);
    if constexpr (Static::kCoding == Coding::offset) {
      scales[t].offset = __shfl_sync(kAllLanes, own.offset, t, kTiles);
    }
  }
}

// As encode_values().
template <typename Static, int kTiles, typename Place>
__device__ void encode_small_groups(const EncodeShape& shape, const Place& place,
                                    const EncodeOutput& output, std::size_t first,
                                    const float (&x)[kTiles][kLaneElements]) {
  constexpr Coding kCoding = Static::kCoding;
  const unsigned lane = threadIdx.x % kWarpLanes;
  const std::size_t element = first + lane * kLaneElements;
  const bool whole = first + kTiles * kTileElements <= shape.elements;
  GroupStatistics groups[kTiles];
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    groups[t] = no_values<kCoding>();
    add_lane<kCoding>(x[t], whole, element + t * kTileElements, shape.elements, groups[t]);
  }
  over_lanes<kCoding>(groups, shape.lanes_per_group);
  GroupScale<kCoding> scales[kTiles], own;
  scales_of<Static>(groups, shape, scales, own);
  std::uint32_t largest = 0;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const Part<Place> part(shape, place, output, element + t * kTileElements, whole);
    auto codes = encode_lane<Static>(x[t], scales[t], shape.draw,
                                     shape.draw.first_block + part.at / kElementsPerDraw);
    if (!whole) codes = blank_tail<Static>(codes, part.at, shape.elements);
    const std::size_t offset = part.moved * Static::kBits / 8;
    if (whole || (!part.nowhere && offset < shape.wire.payload_bytes)) {
      *reinterpret_cast<Packed<Static::kElement>*>(part.wire + offset) = codes;
    }
    if (shape.lanes_per_group < kTiles && part.starts()) {
      store_scale<kCoding>(shape, part.to.group, scales[t].stored, part.wire);
    }
    largest = max(largest, groups[t].amax_bits);
  }
  if (largest >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
  const unsigned tile = lane % static_cast<unsigned>(shape.lanes_per_group);
  if (shape.lanes_per_group < kTiles || tile >= kTiles) return;
  const std::size_t at = first + tile * kTileElements + (lane - tile) * kLaneElements;
  const Part<Place> part(shape, place, output, at, whole);
  if (part.starts()) store_scale<kCoding>(shape, part.to.group, own.stored, part.wire);
}

}  // namespace codecs::cuda
