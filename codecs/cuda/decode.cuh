// SPDX-License-Identifier: Apache-2.0
// The kernel behind every decode: sums one or more wires, inverts the transform, hands the values
// on.
#pragma once

#include "codecs/cuda/encode.cuh"
#include "codecs/hadamard/hadamard.hpp"

namespace codecs::cuda {

template <bool kHadamard, typename Source, typename Sink>
__global__ void __launch_bounds__(kThreadsPerBlock, kLeastBlocks<Source>)
    decode_kernel(Source source, std::size_t elements, Sink sink) {
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t tile = warp * kTileElements;
  if (tile >= elements) return;
  const auto before = sink.fetch(tile);
  float x[kLaneElements];
  load_tile(source, tile, x);
  if constexpr (kHadamard) {
    hadamard_lane(x);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) x[i] *= 1.0f / static_cast<float>(kHadamardBlock);
  }
  sink.store(tile, x, before);
}

// Values as they are, but for their type or for a transform, and the flag of encode.cuh.
template <bool kHadamard, typename Source, typename Sink>
__global__ void __launch_bounds__(kThreadsPerBlock)
    copy_kernel(Source source, std::size_t elements, Sink sink, unsigned* nonfinite) {
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t tile = warp * kTileElements;
  if (tile >= elements) return;
  float x[kLaneElements];
  load_tile(source, tile, x);
  if (nonfinite != nullptr && magnitude_bits(x) >= kInfinityBits) *nonfinite = 1;
  if constexpr (kHadamard) hadamard_lane(x);
  sink.store(tile, x, sink.fetch(tile));
}

}  // namespace codecs::cuda
