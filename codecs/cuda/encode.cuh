// The kernel behind every encode: values of any source, to wires in any order. A warp takes the
// values of one tile (several groups) or of one group (several tiles) through registers, and reads
// them once.
#pragma once

#include "codecs/cuda/sources.cuh"

namespace codecs::cuda {

inline constexpr int kThreadsPerBlock = 256;
inline constexpr int kWarpsPerBlock = kThreadsPerBlock / kWarpLanes;

// Sizes of each wire that is written; all are equal.
struct WireShape {
  std::size_t bytes = 0;
  std::size_t payload_bytes = 0;
  std::uint32_t groups = 0;
  std::uint32_t padded_groups = 0;  // scales with their padding
};

struct GroupPlace {
  std::size_t wire = 0;
  std::uint32_t group = 0;
};

// The order of the source, cut into wires of `groups` each.
struct InOrder {
  std::uint32_t groups = 0xFFFFFFFFu;
  __device__ GroupPlace operator()(std::uint32_t source) const {
    return {source / groups, source % groups};
  }
};

// The order of codecs/two_level/two_level.hpp.
struct ByDestination {
  std::uint32_t slice_groups = 1;
  std::uint32_t slices = 1;
  std::uint32_t gpus_per_node = 1;
  __device__ GroupPlace operator()(std::uint32_t source) const {
    const std::uint32_t slice_index = source / slice_groups;
    const std::uint32_t partition = slice_index / slices;
    const std::uint32_t gpu = partition % gpus_per_node;
    const std::uint32_t node = partition / gpus_per_node;
    return {slice_index % slices * gpus_per_node + gpu,
            node * slice_groups + source % slice_groups};
  }
};

struct EncodeShape {
  std::size_t elements = 0;  // that are encoded: with the padding that the wires hold
  WireShape wire;
  float factor = 1;  // of the scales
  Draw draw;
};

struct EncodeOutput {
  std::byte* wires = nullptr;
  unsigned* nonfinite = nullptr;  // set to 1 if the input holds a NaN or an infinity
};

// Writes one group's scale, and after the last the zeros of the padding.
__device__ inline void store_scale(const WireShape& shape, std::uint32_t group, float scale,
                                   std::byte* wire) {
  auto* scales = reinterpret_cast<float*>(wire + shape.payload_bytes);
  scales[group] = scale;
  if (group + 1 != shape.groups) return;
  for (std::uint32_t pad = shape.groups; pad < shape.padded_groups; ++pad) scales[pad] = 0;
}

template <typename Static, typename Source, typename Place>
__global__ void __launch_bounds__(kThreadsPerBlock)
    encode_kernel(Source source, EncodeShape shape, Place place, EncodeOutput output) {
  constexpr int kTiles = Static::kTilesPerGroup;
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t first = warp * kTiles * kTileElements;
  if (first >= shape.elements) return;

  const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
  float x[kTiles][kLaneElements];
  std::uint32_t bits = 0;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    source.load(first + t * kTileElements, x[t]);
    if constexpr (Static::kHadamard) hadamard_lane(x[t]);
    bits = max(bits, magnitude_bits(x[t]));
  }
  bits = max_over_lanes<Static::kLanesPerGroup>(bits);
  const GroupScale scale = group_scale(bits, Static::kLargest, shape.factor);

  const std::size_t element = first + lane * kLaneElements;
  const auto index = static_cast<std::uint32_t>(element / Static::kGroup);
  if (std::size_t{index} * Static::kGroup >= shape.elements) return;
  const GroupPlace to = place(index);
  std::byte* const wire = output.wires + to.wire * shape.wire.bytes;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const std::size_t at = element + t * kTileElements;
    const auto codes = encode_lane<Static>(x[t], scale.inverse, shape.draw,
                                           shape.draw.first_block + at / kElementsPerDraw);
    const std::size_t offset =
        (std::size_t{to.group} * Static::kGroup + at % Static::kGroup) * Static::kBits / 8;
    if (offset < shape.wire.payload_bytes) {
      *reinterpret_cast<Packed<Static::kBits>*>(wire + offset) = codes;
    }
  }
  if (element % Static::kGroup != 0) return;
  store_scale(shape.wire, to.group, scale.stored, wire);
  if (bits >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
}

}  // namespace codecs::cuda
