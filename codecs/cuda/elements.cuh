// A lane's 16 scaled values as codes and back, for each element of codecs/format.hpp that groups
// are made of. What rounds to what is codecs/element/element.hpp's; here it costs few instructions.
#pragma once

#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "codecs/cuda/lane.cuh"
#include "codecs/cuda/tables.cuh"
#include "codecs/format.hpp"

namespace codecs::cuda {

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

// 1.5 * 2^23: a float of magnitude below 2^22 added to it is rounded to a whole number, ties to
// even, which stands in the low bits. Conversion instructions are 4 times slower than additions.
inline constexpr float kWhole = 12582912.0f;
inline constexpr unsigned kWholeBits = 0x4B400000u;

__device__ inline unsigned random_byte(const uint4& random, int e) {
  return __byte_perm(word_of(random, e / 4), 0, 0x4440u | (e % 4));
}

// kWholeBits plus the code of an integer grid; codes of the offset grid are never negative.
template <Element kElement, Coding kCoding, bool kStochastic>
__device__ unsigned integer_code(float v, const uint4& random, int e) {
  constexpr int kTop = (1 << (kBitsOf<kElement> - 1)) - 1;
  if constexpr (kStochastic) {
    const unsigned fixed = __float_as_uint(v * 256.0f + kWhole) + random_byte(random, e);
    const unsigned clipped =
        kCoding == Coding::full ? min(fixed, kWholeBits + kTop * 256 + 255) : fixed;
    return clipped >> 8;
  } else {
    const unsigned code = __float_as_uint(v + kWhole);
    return kCoding == Coding::full ? min(code, kWholeBits + kTop) : code;
  }
}

// Index of the magnitude among 0, 0.5, 1, 1.5, 2, 3, 4, 6, with the sign above it. Between 0 and 2,
// 2 and 4, 4 and 8 the indices are 2 y, y + 2 and y / 2 + 4.
template <bool kStochastic>
__device__ unsigned e2m1_code(float v, const uint4& random, int e) {
  const float y = fabsf(v);
  const float slope = y < 2.0f ? 2.0f : y < 4.0f ? 1.0f : 0.5f;
  const float base = y < 2.0f ? 0.0f : y < 4.0f ? 2.0f : 4.0f;
  unsigned index = 0;
  if constexpr (kStochastic) {
    const float fixed = __fmaf_rn(y, 256.0f * slope, 256.0f * base + kWhole);
    index = (__float_as_uint(fixed) + random_byte(random, e)) >> 8;
    index = min(index, (kWholeBits >> 8) + 7);
  } else {
    index = min(__float_as_uint(__fmaf_rn(y, slope, base + kWhole)), kWholeBits + 7);
  }
  return (index & 7u) | (__float_as_uint(v) >> 28 & 8u);
}

template <Element kElement, Coding kCoding, bool kStochastic>
__device__ unsigned one_code(float v, const uint4& random, int e) {
  if constexpr (kIsTable<kElement>) {
    return table_code<kElement>(v);
  } else if constexpr (kIsInteger<kElement>) {
    return integer_code<kElement, kCoding, kStochastic>(v, random, e);
  } else {
    return e2m1_code<kStochastic>(v, random, e);
  }
}

template <Element kElement>
__device__ unsigned fp8_pair(float a, float b) {
  return __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE,
                                  kElement == Element::e4m3 ? __NV_E4M3 : __NV_E5M2);
}

// Word w of the packed codes of v.
template <Element kElement, Coding kCoding, bool kStochastic>
__device__ unsigned code_word(const float (&v)[kLaneElements], const uint4& random, int w) {
  constexpr int kBits = kBitsOf<kElement>;
  constexpr int kCount = 32 / kBits;
  const int first = w * kCount;
  if constexpr (kElement == Element::e4m3 || kElement == Element::e5m2) {
    return fp8_pair<kElement>(v[first], v[first + 1]) |
           fp8_pair<kElement>(v[first + 2], v[first + 3]) << 16;
  } else if constexpr (kBits == 8) {
    unsigned code[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      code[i] = one_code<kElement, kCoding, kStochastic>(v[first + i], random, first + i);
    }
    return __byte_perm(__byte_perm(code[0], code[1], 0x0040), __byte_perm(code[2], code[3], 0x0040),
                       0x5410);
  } else {
    unsigned word = 0;
#pragma unroll
    for (int i = kCount - 1; i >= 0; --i) {
      const unsigned code =
          one_code<kElement, kCoding, kStochastic>(v[first + i], random, first + i);
      word = word << kBits | (code & ((1u << kBits) - 1));
    }
    return word;
  }
}

// The codes of 16 values in units of the grid.
template <Element kElement, Coding kCoding, bool kStochastic>
__device__ Packed<kElement> pack_codes(const float (&v)[kLaneElements], const uint4& random) {
  unsigned words[kPackedWords<kElement>];
#pragma unroll
  for (int w = 0; w < kPackedWords<kElement>; ++w) {
    words[w] = code_word<kElement, kCoding, kStochastic>(v, random, w);
  }
  return packed(words);
}

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

// An integer becomes a float by its bits: 2^23 + (code + bias) has the biased code in its last
// digits, and the subtraction is exact.
template <int kBits, bool kUnsigned>
__device__ void integer_values(unsigned word, float* v) {
  constexpr unsigned kMagic = 0x4B000000u;  // 2^23
  constexpr unsigned kMask = (1u << kBits) - 1;
  constexpr int kBias = kUnsigned ? 0 : 1 << (kBits - 1);
  constexpr unsigned kFlip = kUnsigned ? 0 : 0xFFFFFFFFu / kMask * (1u << (kBits - 1));
  const unsigned biased = word ^ kFlip;
#pragma unroll
  for (int i = 0; i < 32 / kBits; ++i) {
    const unsigned digits = kBits == 8 ? __byte_perm(biased, kMagic, 0x7650u | i)
                                       : (biased >> (kBits * i) & kMask) | kMagic;
    v[i] = __uint_as_float(digits) - (8388608.0f + kBias);
  }
}

// The 3 bits of magnitude of E2M1 are exponent and mantissa of a denormal float32, 2^126 times too
// small.
__device__ inline void e2m1_values(unsigned word, float* v) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const unsigned nibble = word >> (4 * i);
    v[i] = __uint_as_float((nibble & 7u) << 22 | (nibble & 8u) << 28) * 0x1p126f;
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
