// SPDX-License-Identifier: Apache-2.0
// The parts of the kernel behind every encode (encode_kernel.cuh): values of any source, to wires in any
// order. A warp takes the values of one tile (several groups) or of one group (several tiles) through
// registers, and reads them once.
#pragma once

#include "codecs/cuda/formats.cuh"
#include "codecs/cuda/pack.cuh"
#include "codecs/cuda/random.cuh"
#include "codecs/cuda/scales.cuh"
#include "codecs/cuda/sources.cuh"
#include "codecs/cuda/tuning.hpp"

namespace codecs::cuda {

inline constexpr int kWarpsPerBlock = kThreadsPerBlock / kWarpLanes;

// Sizes of each wire that is written; all are equal.
struct WireShape {
  std::size_t bytes = 0;
  std::size_t payload_bytes = 0;
  std::size_t scales_offset = 0;
  std::uint32_t groups = 0;
  std::uint32_t padded_groups = 0;  // scales with their padding
};

// Division by a number that the host knows: 4 instructions, where the compiler's own takes 20
// (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994, figure 4.1).
struct Divisor {
  std::uint32_t number = 1;
  std::uint32_t multiplier = 1;
  std::uint32_t first_shift = 0;
  std::uint32_t second_shift = 0;
  __device__ std::uint32_t divide(std::uint32_t dividend) const {
    const std::uint32_t high = __umulhi(multiplier, dividend);
    return (high + ((dividend - high) >> first_shift)) >> second_shift;
  }
};
constexpr Divisor divisor(std::uint32_t number) {
  std::uint32_t log2 = 0;  // rounded up
  while (std::uint64_t{1} << log2 < number) ++log2;
  const std::uint64_t multiplier = (((std::uint64_t{1} << log2) - number) << 32) / number + 1;
  return {number, static_cast<std::uint32_t>(multiplier), log2 > 0 ? 1u : 0u,
          log2 > 0 ? log2 - 1 : 0};
}

struct GroupPlace {
  std::size_t wire = 0;
  std::uint32_t group = 0;
};

// Where groups go: one wire, in the order of the source.
struct InOrder {
  static constexpr bool kMoves = false;
  __device__ GroupPlace operator()(std::uint32_t source) const { return {0, source}; }
};

// Cut into wires of `groups` each.
struct Cut {
  static constexpr bool kMoves = true;
  Divisor groups = divisor(0xFFFFFFFFu);
  __device__ GroupPlace operator()(std::uint32_t source) const {
    const std::uint32_t wire = groups.divide(source);
    return {wire, source - wire * groups.number};
  }
};

// The order of codecs/two_level/two_level.hpp.
struct ByDestination {
  static constexpr bool kMoves = true;
  Divisor slice_groups = divisor(1);
  Divisor slices = divisor(1);
  Divisor gpus_per_node = divisor(1);
  __device__ GroupPlace operator()(std::uint32_t source) const {
    const std::uint32_t slice_index = slice_groups.divide(source);
    const std::uint32_t partition = slices.divide(slice_index);
    const std::uint32_t node = gpus_per_node.divide(partition);
    const std::uint32_t gpu = partition - node * gpus_per_node.number;
    const std::uint32_t slice = slice_index - partition * slices.number;
    const std::uint32_t group = source - slice_index * slice_groups.number;
    return {slice * gpus_per_node.number + gpu, node * slice_groups.number + group};
  }
};

struct EncodeShape {
  std::size_t elements = 0;  // that are encoded: with the padding that the wires hold
  std::size_t wires = 1;     // with more than one, whole vectors of 16 bytes in each
  int group_log2 = 63;       // 63: the group is the tensor
  int lanes_per_group = 1;
  WireShape wire;
  ScaleRule rule;
  Draw draw;
};

struct EncodeOutput {
  std::byte* wires = nullptr;
  unsigned* nonfinite = nullptr;  // set to 1 if the input holds a NaN or an infinity
};

__device__ inline std::uint32_t magnitude_bits(float x) { return __float_as_uint(x) & 0x7FFFFFFFu; }

// The largest |x| as bits; NaNs are above infinity.
template <int kCount>
__device__ std::uint32_t magnitude_bits(const float (&x)[kCount]) {
  static_assert(kCount % 2 == 0);
  if (takes_three_integers()) {
    // Among negative floats the bits order magnitudes as unsigned numbers, among others as signed ones.
    int positive = 0;
    std::uint32_t negative = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      positive = max(positive, __float_as_int(x[i]));
      negative = max(negative, __float_as_uint(x[i]));
    }
    return max(static_cast<std::uint32_t>(positive), negative & 0x7FFFFFFFu);
  }
  float even = fabsf(x[0]), odd = fabsf(x[1]);
#pragma unroll
  for (int i = 2; i < kCount; i += 2) {
    even = larger_or_nan(even, fabsf(x[i]));
    odd = larger_or_nan(odd, fabsf(x[i + 1]));
  }
  return __float_as_uint(larger_or_nan(even, odd));
}

// Adds the lane's values that are before the tensor's end to its group's statistics. `whole`: all are, and
// the same for the whole warp.
template <Coding kCoding>
__device__ void add_lane(const float (&x)[kLaneElements], bool whole, std::size_t element,
                         std::size_t elements, GroupStatistics& group) {
  group.amax_bits = max(group.amax_bits, magnitude_bits(x));
  if constexpr (kCoding == Coding::offset) {
    if (whole) {
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) {
        group.low = fminf(group.low, x[i]);
        group.high = fmaxf(group.high, x[i]);
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      if (element + i >= elements) break;
      group.low = fminf(group.low, x[i]);
      group.high = fmaxf(group.high, x[i]);
    }
  } else if constexpr (kCoding == Coding::norm) {
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) group.squares = __fmaf_rn(x[i], x[i], group.squares);
  }
}

template <Coding kCoding>
__device__ GroupStatistics no_values() {
  if constexpr (kCoding == Coding::offset) return {.low = INFINITY, .high = -INFINITY};
  return {};
}

// The statistics of all lanes of a group, which are neighbours; of several groups at once.
template <Coding kCoding, int kGroups>
__device__ void over_lanes(GroupStatistics (&groups)[kGroups], int lanes) {
#pragma unroll
  for (int stride = 1; stride < kWarpLanes; stride *= 2) {
    if (stride >= lanes) break;
#pragma unroll
    for (GroupStatistics& group : groups) {
      group.amax_bits = max(group.amax_bits, __shfl_xor_sync(kAllLanes, group.amax_bits, stride));
      if constexpr (kCoding == Coding::offset) {
        group.low = fminf(group.low, __shfl_xor_sync(kAllLanes, group.low, stride));
        group.high = fmaxf(group.high, __shfl_xor_sync(kAllLanes, group.high, stride));
      } else if constexpr (kCoding == Coding::norm) {
        group.squares += __shfl_xor_sync(kAllLanes, group.squares, stride);
      }
    }
  }
}
template <Coding kCoding>
__device__ GroupStatistics over_lanes(const GroupStatistics& group, int lanes) {
  GroupStatistics groups[] = {group};
  over_lanes<kCoding>(groups, lanes);
  return groups[0];
}

// The largest bits of all warps of a group, which are neighbours. All threads of a block must call.
template <int kWarps>
__device__ std::uint32_t max_over_warps(std::uint32_t bits) {
  if constexpr (kWarps == 1) return bits;
  __shared__ std::uint32_t of_warp[kWarpsPerBlock];
  const unsigned warp = threadIdx.x / kWarpLanes;
  if (threadIdx.x % kWarpLanes == 0) of_warp[warp] = bits;
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kWarps; ++k) bits = max(bits, of_warp[warp / kWarps * kWarps + k]);
  return bits;
}

template <typename Static>
__device__ Packed<Static::kElement> codes_of_lane(const float (&x)[kLaneElements],
                                                  const GroupScale<Static::kCoding>& scale,
                                                  const uint4& random) {
  const bool zeros = scale.multiply == 0;  // NaN * 0 is no code
  if (zeros && !kAsksLanes<Static::kElement>) return zero_codes<Static::kElement>();
  float v[kLaneElements];
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    const float above = Static::kCoding == Coding::offset ? x[i] - scale.offset : x[i];
    const bool magnitude =
        Static::kElement == Element::e2m1 && !converts<Static::kElement, Static::kStochastic>();
    v[i] = magnitude ? fabsf(above) : above;
  }
#pragma unroll
  for (int i = 0; i < kLaneElements; i += 2) {
    const float2 pair = product(make_float2(v[i], v[i + 1]), scale.multiply);
    v[i] = pair.x;
    v[i + 1] = pair.y;
  }
  const auto codes =
      pack_codes<Static::kElement, Static::kCoding, Static::kStochastic>(x, v, random);
  return zeros ? zero_codes<Static::kElement>() : codes;
}

template <typename Static>
__device__ Packed<Static::kElement> encode_lane(const float (&x)[kLaneElements],
                                                const GroupScale<Static::kCoding>& scale,
                                                const Draw& draw, std::uint64_t block) {
  uint4 random = {};
  if constexpr (Static::kStochastic) random = draw_block(draw, block);
  return codes_of_lane<Static>(x, scale, random);
}

// Writes one group's scale, before the first the tensor's, and after the last the zeros of the
// padding.
template <Coding kCoding>
__device__ void store_scale(const EncodeShape& shape, std::uint32_t group, Stored<kCoding> stored,
                            std::byte* wire) {
  const WireShape& layout = shape.wire;
  auto* scales = reinterpret_cast<Stored<kCoding>*>(wire + layout.scales_offset);
  scales[group] = stored;
  if constexpr (kCoding == Coding::nested) {
    if (group == 0) {
      const float tensor = tensor_scale(*shape.rule.tensor_amax, shape.rule).stored;
      *reinterpret_cast<float4*>(wire + layout.payload_bytes) = make_float4(tensor, 0, 0, 0);
    }
  }
  if (group + 1 != layout.groups) return;
  for (std::uint32_t pad = layout.groups; pad < layout.padded_groups; ++pad) scales[pad] = {};
}

// Codes that stand for nothing, beyond the tensor's end, have no bits set.
template <typename Static>
__device__ Packed<Static::kElement> blank_tail(const Packed<Static::kElement>& codes,
                                               std::size_t element, std::size_t elements) {
  constexpr bool kZeroHasBits = Static::kCoding == Coding::offset || kIsTable<Static::kElement>;
  if (!kZeroHasBits || element + kLaneElements <= elements) return codes;
  const int bits = element < elements ? static_cast<int>(elements - element) * Static::kBits : 0;
  unsigned words[kPackedWords<Static::kElement>];
#pragma unroll
  for (int w = 0; w < kPackedWords<Static::kElement>; ++w) {
    const int left = min(max(bits - 32 * w, 0), 32);
    words[w] = word_of(codes, w) & (left == 32 ? 0xFFFFFFFFu : (1u << left) - 1);
  }
  return packed(words);
}

// Where a lane's values from element `at` on go. `whole`: none of the warp's are beyond the tensor's end.
template <typename Place>
struct Part {
  std::size_t at = 0;
  std::size_t start = 0;  // of their group
  GroupPlace to = {};
  std::size_t moved = 0;  // `at` in its wire
  std::byte* wire = nullptr;
  bool beyond = false;   // the group is
  bool nowhere = false;  // and in no wire

  __device__ Part(const EncodeShape& shape, const Place& place, const EncodeOutput& output,
                  std::size_t element, bool whole)
      : at(element), moved(element), wire(output.wires) {
    const auto index = static_cast<std::uint32_t>(at >> shape.group_log2);
    start = std::size_t{index} << shape.group_log2;
    beyond = !whole && start >= shape.elements;
    nowhere = Place::kMoves && beyond && shape.wires > 1;
    to = place(index);
    if constexpr (Place::kMoves) {
      wire += to.wire * shape.wire.bytes;
      moved += (std::size_t{to.group} << shape.group_log2) - start;
    }
  }
  // Whether they are the first of a group that is there.
  __device__ bool starts() const { return start == at && !beyond; }
};

// What follows the loading and transforming of a warp's values, of which x[0][0] of lane 0 is
// element `first`.
template <typename Static, typename Source, typename Place>
__device__ void encode_values(const Source& source, const EncodeShape& shape, const Place& place,
                              const EncodeOutput& output, std::size_t first,
                              const float (&x)[Static::kWarpTiles][kLaneElements]) {
  constexpr int kTiles = Static::kWarpTiles;
  constexpr Coding kCoding = Static::kCoding;
  const std::size_t element = first + threadIdx.x % kWarpLanes * kLaneElements;
  const bool whole = first + kTiles * kTileElements <= shape.elements;  // all of the warp's tiles
  GroupStatistics group = no_values<kCoding>();
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    add_lane<kCoding>(x[t], whole, element + t * kTileElements, shape.elements, group);
  }
  group = over_lanes<kCoding>(group, Static::kTiles > 1 ? kWarpLanes : shape.lanes_per_group);
  static_assert(Static::kWarps == 1 || kCoding == Coding::symmetric, "the largest is all it takes");
  group.amax_bits = max_over_warps<Static::kWarps>(group.amax_bits);
  const auto scale = group_scale<Static::kElement, kCoding>(group, shape.rule);

  const Part<Place> part(shape, place, output, element, whole);
  if (part.nowhere && !kAsksLanes<Static::kElement>) return;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const std::size_t at = element + t * kTileElements;
    auto codes = encode_lane<Static>(x[t], scale, shape.draw,
                                     shape.draw.first_block + at / kElementsPerDraw);
    if (!whole) codes = blank_tail<Static>(codes, at, shape.elements);
    const std::size_t offset = (part.moved + t * kTileElements) * Static::kBits / 8;
    if (whole || (!part.nowhere && offset < shape.wire.payload_bytes)) {
      *reinterpret_cast<Packed<Static::kElement>*>(part.wire + offset) = codes;
    }
    // Sources with error feedback keep what the codes lose.
    if constexpr (requires { source.remember(first, x[t], codes, scale); }) {
      source.remember(first + t * kTileElements, x[t], codes, scale);
    }
  }
  if (group.amax_bits >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
  if (part.starts()) store_scale<kCoding>(shape, part.to.group, scale.stored, part.wire);
}

// Raises *amax to the largest bits of the warp's lanes. Few warps find it lower, even in an old copy
// in L1: atomics of all on one address would take a nanosecond each, longer than the pass.
__device__ inline void raise_amax(std::uint32_t bits, std::uint32_t* amax) {
  bits = __reduce_max_sync(kAllLanes, bits);
  if (threadIdx.x % kWarpLanes == 0 && bits > *amax) atomicMax(amax, bits);
}

// The largest magnitude of a tensor as bits, for scales that are the whole tensor's. *amax starts
// at 0.
template <typename Source>
__global__ void __launch_bounds__(kThreadsPerBlock, kLeastBlocks<Source>)
    amax_kernel(Source source, std::size_t elements, std::uint32_t* amax) {
  constexpr std::size_t kPerWarp = std::size_t{kAmaxTiles} * kTileElements;
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t warps = std::size_t{gridDim.x} * kWarpsPerBlock;
  std::uint32_t bits = 0;
  for (std::size_t first = warp * kPerWarp; first < elements; first += warps * kPerWarp) {
    float x[kAmaxTiles][kLaneElements];
    load_tiles(source, first, x);
#pragma unroll
    for (int t = 0; t < kAmaxTiles; ++t) bits = max(bits, magnitude_bits(x[t]));
  }
  raise_amax(bits, amax);
}

}  // namespace codecs::cuda
