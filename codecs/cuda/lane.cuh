// SPDX-License-Identifier: Apache-2.0
// Tiles of 512 values in a warp's registers: lane l holds the 16 consecutive values from 16 l.
// Codes of a lane are then one 16-byte (INT8) or 8-byte (INT4) word, its random bits one Philox
// call, and a Hadamard block two lanes. Global memory is still read and written in whole sectors of
// 32 bytes: a lane loads its own where the GPU can at once; elsewhere lanes fetch neighbouring 16-byte
// vectors and hand them to their owners by shuffles.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/instructions.cuh"

namespace codecs::cuda {

inline constexpr int kWarpLanes = 32;
inline constexpr int kLaneElements = 16;
inline constexpr int kTileElements = kWarpLanes * kLaneElements;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

__device__ inline uint4 shuffle_xor(const uint4& v, int mask) {
  return make_uint4(__shfl_xor_sync(kAllLanes, v.x, mask), __shfl_xor_sync(kAllLanes, v.y, mask),
                    __shfl_xor_sync(kAllLanes, v.z, mask), __shfl_xor_sync(kAllLanes, v.w, mask));
}

// The largest of kLanes neighbouring lanes, a power of two.
template <int kLanes>
__device__ std::uint32_t max_over_lanes(std::uint32_t bits) {
#pragma unroll
  for (int stride = 1; stride < kLanes; stride *= 2) {
    bits = max(bits, __shfl_xor_sync(kAllLanes, bits, stride));
  }
  return bits;
}

// Word by word: a choice between array elements as a whole would be a choice of addresses, and the
// array would go to memory.
__device__ inline uint4 choose(bool first, const uint4& a, const uint4& b) {
  return make_uint4(first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z, first ? a.w : b.w);
}

// Transposes the K x K vectors that K neighbouring lanes hold: lane q's vector k goes to lane k's
// q.
template <int K>
__device__ void transpose(uint4 (&v)[K], int lane) {
#pragma unroll
  for (int stride = 1; stride < K; stride *= 2) {
    const bool upper = (lane & stride) != 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if ((k & stride) != 0) continue;
      const uint4 received = shuffle_xor(choose(upper, v[k], v[k | stride]), stride);
      v[k] = choose(upper, received, v[k]);
      v[k | stride] = choose(upper, v[k | stride], received);
    }
  }
}

__device__ inline float as_float(float value) { return value; }
__device__ inline float as_float(Bf16 value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}
// Nearest even; NaN becomes 0x7FFF.
__device__ inline Bf16 as_bf16(float value) {
  return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
}

// Two at once: the conversion of one takes 8 times as long.
__device__ inline std::uint32_t bf16_pair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return __bfloat16_as_ushort(pair.x) | static_cast<std::uint32_t>(__bfloat16_as_ushort(pair.y))
                                            << 16;
}
__device__ inline void round_to_bf16(float (&x)[kLaneElements]) {
#pragma unroll
  for (int i = 0; i < kLaneElements; i += 2) {
    const std::uint32_t pair = bf16_pair(x[i], x[i + 1]);
    x[i] = __uint_as_float(pair << 16);
    x[i + 1] = __uint_as_float(pair & 0xFFFF0000u);
  }
}

template <typename Value>
inline constexpr int kPerVector = 16 / static_cast<int>(sizeof(Value));
template <typename Value>
inline constexpr int kPerWord = 4 / static_cast<int>(sizeof(Value));

// One word of a vector as values, and back.
__device__ inline void unpack(std::uint32_t word, float (&x)[1]) { x[0] = __uint_as_float(word); }
__device__ inline void unpack(std::uint32_t word, float (&x)[2]) {
  x[0] = __uint_as_float(word << 16);
  x[1] = __uint_as_float(word & 0xFFFF0000u);
}
__device__ inline std::uint32_t pack(const float (&x)[1]) { return __float_as_uint(x[0]); }
__device__ inline std::uint32_t pack(const float (&x)[2]) { return bf16_pair(x[0], x[1]); }

// A whole vector.
template <typename Value>
__device__ void unpack(const uint4& vector, float* x) {
  const std::uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    float part[kPerWord<Value>];
    unpack(words[w], part);
#pragma unroll
    for (int i = 0; i < kPerWord<Value>; ++i) x[w * kPerWord<Value> + i] = part[i];
  }
}
template <typename Value>
__device__ uint4 pack(const float* x) {
  std::uint32_t words[4];
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    float part[kPerWord<Value>];
#pragma unroll
    for (int i = 0; i < kPerWord<Value>; ++i) part[i] = x[w * kPerWord<Value> + i];
    words[w] = pack(part);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// 4 bytes of values from `first`; zeros from `elements` on.
template <typename Value>
__device__ std::uint32_t load_word(const Value* values, std::size_t elements, std::size_t first) {
  if constexpr (kPerWord<Value> == 1) {
    return first < elements ? *reinterpret_cast<const std::uint32_t*>(values + first) : 0u;
  } else {
    if (first + kPerWord<Value> <= elements) {
      return *reinterpret_cast<const std::uint32_t*>(values + first);
    }
    // At most the lower half of a word of bfloat16 is left.
    return first < elements ? *reinterpret_cast<const std::uint16_t*>(values + first) : 0u;
  }
}

template <typename Value>
__device__ void store_word(std::uint32_t word, std::size_t elements, std::size_t first,
                           Value* values) {
  if (first + kPerWord<Value> <= elements) {
    *reinterpret_cast<std::uint32_t*>(values + first) = word;
  } else if (kPerWord<Value> > 1 && first < elements) {
    *reinterpret_cast<std::uint16_t*>(values + first) = static_cast<std::uint16_t>(word);
  }
}

// 16 bytes of values from `first`; zeros from `elements` on. `first` is a multiple of kPerVector.
template <typename Value>
__device__ uint4 load_vector(const Value* values, std::size_t elements, std::size_t first) {
  if (first + kPerVector<Value> <= elements) {
    return *reinterpret_cast<const uint4*>(values + first);
  }
  constexpr int kWord = kPerWord<Value>;
  return make_uint4(load_word(values, elements, first), load_word(values, elements, first + kWord),
                    load_word(values, elements, first + 2 * kWord),
                    load_word(values, elements, first + 3 * kWord));
}

// 4 neighbouring values as the bits of floats, from memory that is aligned to all of them.
__device__ inline uint4 load_four(const float* values) {
  return *reinterpret_cast<const uint4*>(values);
}
__device__ inline uint4 load_four(const Bf16* values) {
  const uint2 pairs = *reinterpret_cast<const uint2*>(values);
  return make_uint4(pairs.x << 16, pairs.x & 0xFFFF0000u, pairs.y << 16, pairs.y & 0xFFFF0000u);
}
// From `first`; zeros from `elements` on.
template <typename Value>
__device__ uint4 load_four(const Value* values, std::size_t elements, std::size_t first) {
  if (first + 4 <= elements) return load_four(values + first);
  const auto bits = [&](std::size_t at) {
    return at < elements ? __float_as_uint(as_float(values[at])) : 0u;
  };
  return make_uint4(bits(first), bits(first + 1), bits(first + 2), bits(first + 3));
}

template <typename Value>
__device__ void store_vector(const uint4& vector, std::size_t elements, std::size_t first,
                             Value* values) {
  if (first + kPerVector<Value> <= elements) {
    *reinterpret_cast<uint4*>(values + first) = vector;
    return;
  }
  constexpr int kWord = kPerWord<Value>;
  store_word(vector.x, elements, first, values);
  store_word(vector.y, elements, first + kWord, values);
  store_word(vector.z, elements, first + 2 * kWord, values);
  store_word(vector.w, elements, first + 3 * kWord, values);
}

template <typename Value>
inline constexpr int kVectors = kLaneElements / kPerVector<Value>;

// Two vectors, as they lie in memory that is aligned to both.
struct alignas(32) Sector {
  uint4 low;
  uint4 high;
};
__device__ inline bool moves_sectors_of(const void* memory) {
  return moves_sectors() && reinterpret_cast<std::uintptr_t>(memory) % sizeof(Sector) == 0;
}

// Index of the first value of the vector k that `lane` moves: its own where it moves sectors, else its
// neighbour k's.
template <typename Value>
__device__ std::size_t vector_index(std::size_t tile, unsigned lane, int k) {
  if (moves_sectors()) {
    return tile + lane * kLaneElements + static_cast<unsigned>(k * kPerVector<Value>);
  }
  constexpr unsigned kNeighbours = kVectors<Value>;
  return tile + (lane / kNeighbours * kNeighbours + static_cast<unsigned>(k)) * kLaneElements +
         lane % kNeighbours * kPerVector<Value>;
}
// Between that of one k and of the next.
template <typename Value>
__device__ int vector_stride() {
  return moves_sectors() ? 1 : kVectors<Value>;
}

// What a lane fetches of a tile, for itself or its neighbours. Fetching is apart from using, so
// that the loads of all that a warp needs are in flight before it waits for the first.
template <typename Value>
struct Fetched {
  uint4 vectors[kVectors<Value>];
};

// kWhole: the tile does not reach beyond the end, as the caller knows.
template <bool kWhole, typename Value>
__device__ Fetched<Value> fetch_lane(const Value* values, std::size_t elements, std::size_t tile) {
  const unsigned lane = threadIdx.x % kWarpLanes;
  Fetched<Value> fetched;
  if (kWhole || tile + kTileElements <= elements) {  // the same for the whole warp
    const auto* const own = values + vector_index<Value>(tile, lane, 0);
    if (moves_sectors_of(values)) {
#pragma unroll
      for (int k = 0; k < kVectors<Value>; k += 2) {
        const Sector sector = reinterpret_cast<const Sector*>(own)[k / 2];
        fetched.vectors[k] = sector.low;
        fetched.vectors[k + 1] = sector.high;
      }
    } else {
#pragma unroll
      for (int k = 0; k < kVectors<Value>; ++k) {
        fetched.vectors[k] = reinterpret_cast<const uint4*>(own)[k * vector_stride<Value>()];
      }
    }
  } else {
#pragma unroll
    for (int k = 0; k < kVectors<Value>; ++k) {
      fetched.vectors[k] = load_vector(values, elements, vector_index<Value>(tile, lane, k));
    }
  }
  return fetched;
}

// Between a lane's own vectors and those that it moves. All lanes of the warp must call.
template <int K>
__device__ void exchange(uint4 (&vectors)[K]) {
  if (!moves_sectors()) transpose(vectors, static_cast<int>(threadIdx.x % kWarpLanes));
}

// The lane's 16 values of what it or its neighbours fetched. All lanes of the warp must call.
template <typename Value>
__device__ void take_lane(const Fetched<Value>& fetched, float (&x)[kLaneElements]) {
  uint4 vectors[kVectors<Value>];
#pragma unroll
  for (int k = 0; k < kVectors<Value>; ++k) vectors[k] = fetched.vectors[k];
  exchange(vectors);
#pragma unroll
  for (int k = 0; k < kVectors<Value>; ++k) {
    unpack<Value>(vectors[k], x + k * kPerVector<Value>);
  }
}

// Both at once.
template <typename Value>
__device__ void load_lane(const Value* values, std::size_t elements, std::size_t tile,
                          float (&x)[kLaneElements]) {
  take_lane(fetch_lane<false>(values, elements, tile), x);
}

// A lane's 16 values as vectors, written by it or the neighbours that it hands them to. All lanes of the
// warp must call.
template <typename Value>
__device__ void store_vectors(uint4 (&vectors)[kVectors<Value>], std::size_t elements,
                              std::size_t tile, Value* values) {
  const unsigned lane = threadIdx.x % kWarpLanes;
  exchange(vectors);
  if (tile + kTileElements <= elements) {
    auto* const own = values + vector_index<Value>(tile, lane, 0);
    if (moves_sectors_of(values)) {
#pragma unroll
      for (int k = 0; k < kVectors<Value>; k += 2) {
        reinterpret_cast<Sector*>(own)[k / 2] = {vectors[k], vectors[k + 1]};
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < kVectors<Value>; ++k) {
      reinterpret_cast<uint4*>(own)[k * vector_stride<Value>()] = vectors[k];
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < kVectors<Value>; ++k) {
    store_vector(vectors[k], elements, vector_index<Value>(tile, lane, k), values);
  }
}

template <typename Value>
__device__ void store_lane(const float (&x)[kLaneElements], std::size_t elements, std::size_t tile,
                           Value* values) {
  uint4 vectors[kVectors<Value>];
#pragma unroll
  for (int k = 0; k < kVectors<Value>; ++k) vectors[k] = pack<Value>(x + k * kPerVector<Value>);
  store_vectors(vectors, elements, tile, values);
}

// The transform of codecs/hadamard/hadamard.hpp: strides 1 to 8 in the lane, 16 with its neighbour.
__device__ inline void hadamard_lane(float (&x)[kLaneElements]) {
#pragma unroll
  for (int stride = 1; stride < kLaneElements; stride *= 2) {
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      if ((i & stride) != 0) continue;
      const float a = x[i], b = x[i | stride];
      x[i] = a + b;
      x[i | stride] = a - b;
    }
  }
  const float sign = (threadIdx.x & 1) != 0 ? -1.0f : 1.0f;
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    x[i] = __fmaf_rn(sign, x[i], __shfl_xor_sync(kAllLanes, x[i], 1));
  }
}

}  // namespace codecs::cuda
