// SPDX-License-Identifier: Apache-2.0
// Where a kernel's values come from and go to: a tensor, a difference of two, a sum of wires. A
// kernel is one of encode.cuh or decode.cuh with a source and a sink; fusing two steps is naming
// them.
//
// What a source's fetch() loads, its take() makes values of; what a sink's fetch() loads, its
// store() needs. Kernels fetch all before they take any. kWhole: the tile does not reach beyond the
// end.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "codecs/cuda/scales.cuh"
#include "codecs/cuda/tuning.hpp"

namespace codecs::cuda {

template <typename Value>
struct TensorSource {
  const Value* values = nullptr;
  std::size_t elements = 0;

  template <bool kWhole>
  __device__ Fetched<Value> fetch(std::size_t tile) const {
    return fetch_lane<kWhole>(values, elements, tile);
  }
  __device__ void take(const Fetched<Value>& fetched, float (&x)[kLaneElements]) const {
    take_lane(fetched, x);
  }
};

// bf16(master) - model, rounded to bfloat16 once.
template <typename Value>
struct DifferenceSource {
  const Value* master = nullptr;
  const Bf16* model = nullptr;
  std::size_t elements = 0;

  struct Both {
    Fetched<Value> master;
    Fetched<Bf16> model;
  };
  template <bool kWhole>
  __device__ Both fetch(std::size_t tile) const {
    return {fetch_lane<kWhole>(master, elements, tile), fetch_lane<kWhole>(model, elements, tile)};
  }
  __device__ void take(const Both& both, float (&x)[kLaneElements]) const {
    float old[kLaneElements];
    take_lane(both.master, x);
    take_lane(both.model, old);
    if constexpr (sizeof(Value) > sizeof(Bf16)) round_to_bf16(x);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) x[i] -= old[i];
    round_to_bf16(x);
  }
};

// Where the codes and scales of each wire lie; all wires are equal.
struct WireReader {
  const std::byte* wires = nullptr;
  std::size_t wire_bytes = 0;
  std::size_t payload_bytes = 0;
  std::size_t scales_offset = 0;
  int group_log2 = 63;  // 63: the group is the tensor
  int inputs = 1;
};

// Blocks that a multiprocessor must hold of a kernel with this source; none: the compiler's choice.
template <typename Source>
inline constexpr int kLeastBlocks = [] {
  if constexpr (requires { Source::kLeastBlocks; }) return Source::kLeastBlocks;
  return 0;
}();

// The sum of wires in their own domain, one fused multiply-add for each in their order.
template <Element kElement, Coding kCoding>
struct SumSource {
  WireReader reader;
  std::size_t elements = 0;

  // Loads of this many wires are in flight together: one INT4 load alone is 8 bytes a lane, too few
  // to keep the memory busy. Lookups in memory would take all registers of several blocks, and shuffles half.
  static constexpr int kBatch = kBitsOf<kElement> < 8 ? kWiresInFlight : kByteWiresInFlight;
  static constexpr int kLeastBlocks = kElement == Element::nf4 ? 2 * kSumBlocks
                                      : kIsTable<kElement>     ? 0
                                                               : kSumBlocks;

  template <bool kWhole>
  __device__ std::size_t fetch(std::size_t tile) const {
    return tile;
  }
  __device__ void take(std::size_t tile, float (&x)[kLaneElements]) const {
    const std::size_t element = tile + threadIdx.x % kWarpLanes * kLaneElements;
    std::size_t code = element * kBitsOf<kElement> / 8;
    std::size_t scale =
        reader.scales_offset + (element >> reader.group_log2) * sizeof(Stored<kCoding>);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) x[i] = 0;
    if (code >= reader.payload_bytes || scale >= reader.wire_bytes) {
      if constexpr (!kAsksLanes<kElement>) return;
      code = 0;  // goes along, to be blanked
      scale = reader.scales_offset;
    }
    int input = 0;
    for (; input + kBatch <= reader.inputs; input += kBatch) add<kBatch>(input, code, scale, x);
    add_rest<kBatch / 2>(input, code, scale, x);
    blank_tail(element, x);
  }

 private:
  // The codes beyond the end have no bits set, which stands for a value in tables.
  __device__ void blank_tail(std::size_t element, float (&x)[kLaneElements]) const {
    if constexpr (kIsTable<kElement>) {
      if (element + kLaneElements <= elements) return;
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) {
        if (element + i >= elements) x[i] = 0;
      }
    }
  }

  // The last wires, fewer than 2 kCount.
  template <int kCount>
  __device__ void add_rest(int first, std::size_t code, std::size_t scale,
                           float (&x)[kLaneElements]) const {
    if (first + kCount <= reader.inputs) {
      add<kCount>(first, code, scale, x);
      first += kCount;
    }
    if constexpr (kCount > 1) add_rest<kCount / 2>(first, code, scale, x);
  }

  template <int kCount>
  __device__ void add(int first, std::size_t code, std::size_t scale,
                      float (&x)[kLaneElements]) const {
    Packed<kElement> codes[kCount];
    Stored<kCoding> stored[kCount];
    float tensor[kCount];
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const std::byte* wire =
          reader.wires + static_cast<std::size_t>(first + k) * reader.wire_bytes;
      codes[k] = __ldg(reinterpret_cast<const Packed<kElement>*>(wire + code));
      stored[k] = __ldg(reinterpret_cast<const Stored<kCoding>*>(wire + scale));
      tensor[k] = kCoding == Coding::nested
                      ? __ldg(reinterpret_cast<const float*>(wire + reader.payload_bytes))
                      : 1.0f;
    }
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      add_codes<kElement, kCoding>(codes[k], decoded_step<kElement, kCoding>(stored[k], tensor[k]),
                                   x);
    }
  }
};

template <typename Value>
struct TensorSink {
  Value* values = nullptr;
  std::size_t elements = 0;

  struct Nothing {};
  __device__ Nothing fetch(std::size_t) const { return {}; }
  __device__ void store(std::size_t tile, const float (&x)[kLaneElements], Nothing) const {
    store_lane(x, elements, tile, values);
  }
};

// values += x; of a BF16 model, bf16(values + bf16(x)).
template <typename Value>
struct AddSink {
  Value* values = nullptr;
  std::size_t elements = 0;

  __device__ Fetched<Value> fetch(std::size_t tile) const {
    return fetch_lane<false>(values, elements, tile);
  }
  __device__ void store(std::size_t tile, const float (&x)[kLaneElements],
                        const Fetched<Value>& fetched) const {
    float sum[kLaneElements], terms[kLaneElements];
    take_lane(fetched, sum);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) terms[i] = x[i];
    if constexpr (std::is_same_v<Value, Bf16>) round_to_bf16(terms);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) sum[i] += terms[i];
    store_lane(sum, elements, tile, values);
  }
};

template <typename Source>
__device__ void load_tile(const Source& source, std::size_t tile, float (&x)[kLaneElements]) {
  source.take(source.template fetch<false>(tile), x);
}

// Tiles that are fetched before the first is taken.
template <typename Fetched, int kTiles>
inline constexpr int kAtOnce = std::min(
    kTiles, static_cast<int>(std::bit_floor(kFetchRegisters * sizeof(float) / sizeof(Fetched))));

// Of neighbouring tiles from `first`.
template <int kTiles, typename Source>
__device__ void load_tiles(const Source& source, std::size_t first,
                           float (&x)[kTiles][kLaneElements]) {
  using Tile = decltype(source.template fetch<false>(first));
  constexpr int kBatch = kAtOnce<Tile, kTiles>;
#pragma unroll
  for (int begin = 0; begin < kTiles; begin += kBatch) {
    Tile fetched[kBatch];
    const std::size_t tile = first + begin * kTileElements;
    if (tile + kBatch * kTileElements <= source.elements) {
#pragma unroll
      for (int t = 0; t < kBatch; ++t) {
        fetched[t] = source.template fetch<true>(tile + t * kTileElements);
      }
    } else {
#pragma unroll
      for (int t = 0; t < kBatch; ++t) {
        fetched[t] = source.template fetch<false>(tile + t * kTileElements);
      }
    }
#pragma unroll
    for (int t = 0; t < kBatch; ++t) source.take(fetched[t], x[begin + t]);
  }
}

}  // namespace codecs::cuda
