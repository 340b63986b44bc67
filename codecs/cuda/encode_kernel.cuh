// SPDX-License-Identifier: Apache-2.0
// The kernel behind every encode: values of any source, to wires in any order.
#pragma once

#include "codecs/cuda/small_groups.cuh"

namespace codecs::cuda {

// Tiles that a warp takes.
template <typename Static, typename Source>
inline constexpr int kTilesOfWarp =
    kTakesSeveral<Static, Source> ? kSmallGroupTiles : Static::kWarpTiles;

template <typename Static, typename Source, typename Place>
__global__ void __launch_bounds__(kThreadsPerBlock, kLeastBlocks<Source>)
    encode_kernel(Source source, EncodeShape shape, Place place, EncodeOutput output) {
  constexpr int kTiles = kTilesOfWarp<Static, Source>;
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t first = warp * kTiles * kTileElements;
  if (Static::kWarps == 1 && first >= shape.elements) return;
  TableCopy<Static::kElement, kThreadsPerBlock> table;
  table.fetch();
  float x[kTiles][kLaneElements];
  load_tiles(source, first, x);
  static_assert(Static::kElement != Element::dynamic8 || Static::kWarps > 1);
  table.store();  // the barrier in max_over_warps() follows
  if constexpr (Static::kHadamard) {
#pragma unroll
    for (int t = 0; t < kTiles; ++t) hadamard_lane(x[t]);
  }
  if constexpr (kTakesSeveral<Static, Source>) {
    encode_small_groups<Static>(shape, place, output, first, x);
  } else {
    encode_values<Static>(source, shape, place, output, first, x);
  }
}

}  // namespace codecs::cuda
