// SPDX-License-Identifier: Apache-2.0
// A lane's 16 scaled values as codes (pack.cuh) and back, for each element of codecs/format.hpp
// that groups are made of. What rounds to what is codecs/element/element.hpp's; here it costs few
// instructions.
#pragma once

#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "codecs/cuda/lane.cuh"
#include "codecs/cuda/tables.cuh"
#include "codecs/format.hpp"

namespace codecs::cuda {

// 1.5 * 2^23: a float of magnitude below 2^22 added to it is rounded to a whole number, ties to
// even, which stands in the low bits. Conversion instructions are 4 times slower than additions.
inline constexpr float kWhole = 12582912.0f;
inline constexpr unsigned kWholeBits = 0x4B400000u;

// How a group's codes relate to its values: what of codecs::Scale the inner loops see.
enum class Coding {
  symmetric,  // amax
  norm,       // the same codes, spanned by the Euclidean norm
  full,       // amax_full: the top code is clipped
  offset,     // min_max: codes are unsigned and count from the minimum
  reciprocal,
  e8m0,
  nested  // e4m3_tensor
};

template <Element kElement>
inline constexpr int kBitsOf = 0;
template <>
inline constexpr int kBitsOf<Element::int8> = 8;
template <>
inline constexpr int kBitsOf<Element::int4> = 4;
template <>
inline constexpr int kBitsOf<Element::int2> = 2;
template <>
inline constexpr int kBitsOf<Element::e4m3> = 8;
template <>
inline constexpr int kBitsOf<Element::e5m2> = 8;
template <>
inline constexpr int kBitsOf<Element::e2m1> = 4;

template <>
inline constexpr int kBitsOf<Element::nf4> = 4;
template <>
inline constexpr int kBitsOf<Element::dynamic8> = 8;

template <Element kElement>
inline constexpr bool kIsTable = kElement == Element::nf4 || kElement == Element::dynamic8;

template <Element kElement>
inline constexpr bool kIsInteger =
    kElement == Element::int8 || kElement == Element::int4 || kElement == Element::int2;

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
template <>
struct PackedCodes<2> {
  using Type = unsigned;
};
template <Element kElement>
using Packed = typename PackedCodes<kBitsOf<kElement>>::Type;

template <Element kElement>
inline constexpr int kPackedWords = kBitsOf<kElement> / 2;

__device__ inline unsigned word_of(const uint4& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
__device__ inline unsigned word_of(const uint2& v, int i) { return i == 0 ? v.x : v.y; }
__device__ inline unsigned word_of(unsigned v, int) { return v; }

__device__ inline uint4 packed(const unsigned (&words)[4]) {
  return make_uint4(words[0], words[1], words[2], words[3]);
}
__device__ inline uint2 packed(const unsigned (&words)[2]) {
  return make_uint2(words[0], words[1]);
}
__device__ inline unsigned packed(const unsigned (&words)[1]) { return words[0]; }

// 16 codes of the value 0.
template <Element kElement>
__device__ Packed<kElement> zero_codes() {
  if constexpr (kIsTable<kElement>) {
    unsigned words[kPackedWords<kElement>];
#pragma unroll
    for (int w = 0; w < kPackedWords<kElement>; ++w) words[w] = kTableZeros<kElement>;
    return packed(words);
  }
  return {};
}

// An integer becomes a float by its bits: digits d from bit k on of a float that is otherwise 2^23
// make 2^23 + 2^k d, and a multiply-add turns that into d minus the bias, exactly. So codes are
// masked where they stand in half a word, together with the bits of 2^23.
template <int kBits, bool kUnsigned>
__device__ void integer_values(unsigned word, float* v) {
  constexpr unsigned kMagic = 0x4B000000u;  // 2^23
  constexpr unsigned kMask = (1u << kBits) - 1;
  constexpr int kBias = kUnsigned ? 0 : 1 << (kBits - 1);
  constexpr unsigned kFlip = kUnsigned ? 0 : 0xFFFFFFFFu / kMask * (1u << (kBits - 1));
  const unsigned biased = word ^ kFlip;
  const unsigned halves[] = {__byte_perm(biased, kMagic, 0x7610u),
                             __byte_perm(biased, kMagic, 0x7632u)};
#pragma unroll
  for (int i = 0; i < 32 / kBits; ++i) {
    if constexpr (kBits == 8) {
      v[i] = __uint_as_float(__byte_perm(biased, kMagic, 0x7650u | i)) - (8388608.0f + kBias);
    } else {
      const int bit = kBits * i % 16;
      const unsigned digits = halves[kBits * i / 16] & (0xFF000000u | kMask << bit);
      const float unit = 1.0f / static_cast<float>(1 << bit);
      v[i] = __fmaf_rn(__uint_as_float(digits), unit, -(8388608.0f * unit + kBias));
    }
  }
}

__device__ inline float2 both_halves(unsigned pair) {
  __half2_raw raw;
  memcpy(&raw, &pair, sizeof raw);
  return __half22float2(__half2(raw));
}

// The 3 bits of magnitude of E2M1 are exponent and mantissa of a denormal float16, 2^14 times too
// small; codes i and i + 4 are halves of a word.
__device__ inline void e2m1_values(unsigned word, float* v) {
  if (converts_e2m1()) {
    unsigned pairs[4];
    e2m1_halves(word, pairs);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 values = both_halves(pairs[i]);
      v[2 * i] = values.x;
      v[2 * i + 1] = values.y;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned magnitudes = i < 3 ? word << (9 - 4 * i) : word >> 3;
    const unsigned halves = (magnitudes & 0x0E000E00u) | (word << (12 - 4 * i) & 0x80008000u);
    const float2 values = both_halves(halves);
    v[i] = values.x * 0x1p14f;
    v[i + 4] = values.y * 0x1p14f;
  }
}

template <Element kElement>
__device__ void fp8_values(unsigned word, float* v) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const auto pair = static_cast<__nv_fp8x2_storage_t>(word >> (16 * i));
    const float2 values = __half22float2(__half2(
        __nv_cvt_fp8x2_to_halfraw2(pair, kElement == Element::e4m3 ? __NV_E4M3 : __NV_E5M2)));
    v[2 * i] = values.x;
    v[2 * i + 1] = values.y;
  }
}

// The values of 16 codes, in units of the grid.
template <Element kElement, Coding kCoding>
__device__ void unpack_codes(const Packed<kElement>& codes, float (&v)[kLaneElements]) {
  constexpr int kBits = kBitsOf<kElement>;
#pragma unroll
  for (int w = 0; w < kPackedWords<kElement>; ++w) {
    const unsigned word = word_of(codes, w);
    if constexpr (kIsInteger<kElement>) {
      integer_values<kBits, kCoding == Coding::offset>(word, v + w * (32 / kBits));
    } else if constexpr (kIsTable<kElement>) {
      table_values<kElement>(word, v + w * (32 / kBits));
    } else if constexpr (kElement == Element::e2m1) {
      e2m1_values(word, v + w * 8);
    } else {
      fp8_values<kElement>(word, v + w * 4);
    }
  }
}

}  // namespace codecs::cuda
