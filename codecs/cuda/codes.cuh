// A lane's 16 values as codes and back: random bits, rounding, packing. The arithmetic is that of
// codecs/group/reference.cpp, operation by operation, and the file is compiled without contraction.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "codecs/cuda/lane.cuh"
#include "codecs/group/group.hpp"
#include "codecs/random/random.hpp"

namespace codecs::cuda {

// A format as a type, so that each has its own kernel.
template <int kBitsPerCode, int kGroupElements, bool kIsStochastic, bool kTransforms>
struct StaticFormat {
  static constexpr int kBits = kBitsPerCode;
  static constexpr int kGroup = kGroupElements;
  static constexpr bool kStochastic = kIsStochastic;
  static constexpr bool kHadamard = kTransforms;
  static constexpr int kLanesPerGroup =
      kGroup < kTileElements ? kGroup / kLaneElements : kWarpLanes;
  static constexpr int kTilesPerGroup = kGroup < kTileElements ? 1 : kGroup / kTileElements;
  static constexpr float kLargest = kBits == 8 ? 127.0f : 7.0f;
  static_assert(kBits == 4 || kBits == 8);
  static_assert(kGroup >= 32 && (kGroup & (kGroup - 1)) == 0, "groups tile the warp");
};

// 16 codes of a lane.
template <int kBits>
struct PackedCodes;
template <>
struct PackedCodes<8> {
  using Type = uint4;
};
template <>
struct PackedCodes<4> {
  using Type = uint2;
};
template <int kBits>
using Packed = typename PackedCodes<kBits>::Type;

// Who draws: the parts of a RandomKey that Philox wants.
struct Draw {
  std::uint32_t key0 = 0;
  std::uint32_t key1 = 0;
  std::uint32_t tensor = 0;
  std::uint32_t rank = 0;
  std::uint64_t first_block = 0;
};

// Random bytes of the elements of one block, byte e % 4 of word e / 4 for element e.
__device__ inline uint4 draw_block(const Draw& draw, std::uint64_t block) {
  uint4 c = make_uint4(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                       draw.tensor, draw.rank);
  std::uint32_t key0 = draw.key0, key1 = draw.key1;
#pragma unroll
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint32_t high0 = __umulhi(kPhiloxMultiplier0, c.x);
    const std::uint32_t high1 = __umulhi(kPhiloxMultiplier1, c.z);
    c = make_uint4(high1 ^ c.y ^ key0, kPhiloxMultiplier1 * c.z, high0 ^ c.w ^ key1,
                   kPhiloxMultiplier0 * c.x);
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  return c;
}

// The largest |x| of the lane as bits; NaNs are above infinity.
__device__ inline std::uint32_t magnitude_bits(const float (&x)[kLaneElements]) {
  std::uint32_t largest = 0;
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    largest = max(largest, __float_as_uint(x[i]) & 0x7FFFFFFFu);
  }
  return largest;
}

template <int kLanes>
__device__ std::uint32_t max_over_lanes(std::uint32_t bits) {
#pragma unroll
  for (int stride = 1; stride < kLanes; stride *= 2) {
    bits = max(bits, __shfl_xor_sync(kAllLanes, bits, stride));
  }
  return bits;
}

struct GroupScale {
  float stored = 0;   // what the wire holds
  float inverse = 0;  // codes per unit; 0 if the group's codes are all 0
};

__device__ inline GroupScale group_scale(std::uint32_t bits, float largest, float factor) {
  const float amax = __uint_as_float(bits);
  if (bits >= kInfinityBits) return {__uint_as_float(kNaNScale), 0.0f};
  if (amax < kTinyGroup) return {0.0f, 0.0f};
  return {__fdiv_rn(amax, largest) * factor, __fdiv_rn(largest, amax)};
}

template <bool kStochastic>
__device__ int round_code(float scaled, std::uint32_t random_byte) {
  if constexpr (kStochastic) {
    return (__float2int_rn(scaled * 256.0f) + static_cast<int>(random_byte)) >> 8;
  } else {
    return __float2int_rn(scaled);
  }
}

// Word w of the packed codes of x.
template <int kBits, bool kStochastic>
__device__ std::uint32_t pack_word(const float (&x)[kLaneElements], float inverse,
                                   const std::uint32_t (&random)[4], int w) {
  constexpr int kPerWord = 32 / kBits;
  std::uint32_t word = 0;
#pragma unroll
  for (int i = 0; i < kPerWord; ++i) {
    const int e = w * kPerWord + i;
    const int code = round_code<kStochastic>(x[e] * inverse, random[e / 4] >> (e % 4 * 8) & 0xFFu);
    word |= (static_cast<std::uint32_t>(code) & ((1u << kBits) - 1u)) << (i * kBits);
  }
  return word;
}

template <typename Static>
__device__ Packed<Static::kBits> encode_lane(const float (&x)[kLaneElements], float inverse,
                                             const Draw& draw, std::uint64_t block) {
  std::uint32_t random[4] = {};
  if constexpr (Static::kStochastic) {
    const uint4 words = draw_block(draw, block);
    random[0] = words.x;
    random[1] = words.y;
    random[2] = words.z;
    random[3] = words.w;
  }
  constexpr int kBits = Static::kBits;
  constexpr bool kStochastic = Static::kStochastic;
  const bool keep = inverse != 0;  // NaN * 0 is no code
  if constexpr (kBits == 8) {
    const uint4 codes = make_uint4(pack_word<8, kStochastic>(x, inverse, random, 0),
                                   pack_word<8, kStochastic>(x, inverse, random, 1),
                                   pack_word<8, kStochastic>(x, inverse, random, 2),
                                   pack_word<8, kStochastic>(x, inverse, random, 3));
    return keep ? codes : make_uint4(0, 0, 0, 0);
  } else {
    const uint2 codes = make_uint2(pack_word<4, kStochastic>(x, inverse, random, 0),
                                   pack_word<4, kStochastic>(x, inverse, random, 1));
    return keep ? codes : make_uint2(0, 0);
  }
}

// Adds codes * scale to x. A code becomes a float by its bits: 2^23 + (code + bias) has the biased
// code in its last digits, and the subtraction is exact. Conversion instructions are 4 times slower
// than additions, and a reduction converts 16 inputs for each output.
template <int kBits>
__device__ void add_word(std::uint32_t word, float scale, float* x) {
  constexpr std::uint32_t kMagic = 0x4B000000u;  // 2^23
  constexpr int kBias = 1 << (kBits - 1);
  const std::uint32_t biased = word ^ (kBits == 8 ? 0x80808080u : 0x88888888u);
#pragma unroll
  for (int i = 0; i < 32 / kBits; ++i) {
    const std::uint32_t digits =
        kBits == 8 ? __byte_perm(biased, kMagic, 0x7650u | i) : (biased >> (4 * i) & 0xFu) | kMagic;
    const float code = __uint_as_float(digits) - (8388608.0f + kBias);
    x[i] = __fmaf_rn(code, scale, x[i]);
  }
}

__device__ inline void add_codes(const uint4& codes, float scale, float (&x)[kLaneElements]) {
  add_word<8>(codes.x, scale, x);
  add_word<8>(codes.y, scale, x + 4);
  add_word<8>(codes.z, scale, x + 8);
  add_word<8>(codes.w, scale, x + 12);
}

__device__ inline void add_codes(const uint2& codes, float scale, float (&x)[kLaneElements]) {
  add_word<4>(codes.x, scale, x);
  add_word<4>(codes.y, scale, x + 8);
}

}  // namespace codecs::cuda
