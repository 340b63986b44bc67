// SPDX-License-Identifier: Apache-2.0
// Codes of 16 values side by side in words: the encoding half of elements.cuh, which says what is
// what. Counted in instructions of each pipe: additions and multiplications of floats run at twice
// the rate of shifts, logic and minima, and whole-number multiply-adds share the floats' pipe.
#pragma once

#include "codecs/cuda/table_codes.cuh"

namespace codecs::cuda {

// Codes of two's complement are packed with this added, so that none borrows from its neighbour;
// whole bytes need no packing.
template <Element kElement, Coding kCoding, bool kStochastic>
inline constexpr unsigned kBias = kIsInteger<kElement>&& kCoding != Coding::offset &&
                                          (kStochastic || kBitsOf<kElement> < 8)
                                      ? 1u << (kBitsOf<kElement> - 1)
                                      : 0;
// Takes the bias from all codes of a word.
template <Element kElement, Coding kCoding, bool kStochastic>
inline constexpr unsigned kUnbias =
    kBias<kElement, kCoding, kStochastic>*(0xFFFFFFFFu / ((1u << kBitsOf<kElement>)-1));

// kWholeBits plus kUnit times the index of y among 0, 0.5, 1, 1.5, 2, 3, 4, 6. Between 0 and 2, 2
// and 4, 4 and 8 the indices are 2 y, y + 2 and y / 2 + 4: the least of the three lines, before and
// after rounding, because rounding keeps the order.
template <int kUnit>
__device__ unsigned e2m1_index(float y) {
  const unsigned steep = __float_as_uint(__fmaf_rn(y, 2.0f * kUnit, kWhole));
  const unsigned middle = __float_as_uint(__fmaf_rn(y, 1.0f * kUnit, kWhole + 2 * kUnit));
  const unsigned flat = __float_as_uint(__fmaf_rn(y, 0.5f * kUnit, kWhole + 4 * kUnit));
  return min(min(steep, middle), min(flat, kWholeBits + 7 * kUnit));
}

// Whether codes come from an instruction, which takes signed values.
template <Element kElement, bool kStochastic>
__device__ bool converts() {
  return kElement == Element::e2m1 && !kStochastic && converts_e2m1();
}

// kWholeBits plus kUnit times the biased code; kUnit = 256 leaves a fraction for random bits to
// carry. `v` is in units of the grid, for E2M1 a magnitude.
template <Element kElement, Coding kCoding, bool kStochastic>
__device__ unsigned fixed_code(float v) {
  constexpr int kUnit = kStochastic ? 256 : 1;
  constexpr unsigned kBiased = kBias<kElement, kCoding, kStochastic>;
  if constexpr (kElement == Element::e2m1) {
    return e2m1_index<kUnit>(v);
  } else {
    constexpr float kZero = kWhole + static_cast<float>(kBiased * kUnit);
    const unsigned code = __float_as_uint(__fmaf_rn(v, kUnit, kZero));  // v * kUnit is exact
    if constexpr (kCoding == Coding::full) {
      static_assert(!kStochastic, "random bits would carry beyond the top code");
      return min(code, kWholeBits + kBiased + (1u << (kBitsOf<kElement> - 1)) - 1);
    }
    return code;
  }
}

// The sum of codes[i] << (kBits * i), where each code stands above kBase.
template <int kBits, unsigned kBase>
__device__ unsigned chained(const unsigned (&codes)[32 / kBits]) {
  unsigned word = 0;
#pragma unroll
  for (int i = 32 / kBits - 1; i >= 0; --i) word = word * (1u << kBits) + codes[i];
  return word - kBase * (0xFFFFFFFFu / ((1u << kBits) - 1));
}

// Four codes that random bits have carried up, each the high byte of half a word: codes 0 and 2,
// and 1 and 3. Two are added at once, and no half overflows: 255 + 256 * 255 fits.
struct Carried {
  unsigned even = 0;
  unsigned odd = 0;
};
__device__ inline Carried carried(const unsigned (&fixed)[4], unsigned random) {
  return {fixed[2] * 0x10000u + fixed[0] + (random & 0x00FF00FFu) - kWholeBits,
          fixed[3] * 0x10000u + fixed[1] + __byte_perm(random, 0, 0x4341u) - kWholeBits};
}

// The highest bytes of four words.
__device__ inline unsigned highest_bytes(unsigned a, unsigned b, unsigned c, unsigned d) {
  return __byte_perm(__byte_perm(a, b, 0x0073u), __byte_perm(c, d, 0x0073u), 0x5410u);
}

// Word w of the packed codes, with stochastic rounding.
template <Element kElement, Coding kCoding>
__device__ unsigned stochastic_word(const float (&v)[kLaneElements], const uint4& random, int w) {
  constexpr int kBits = kBitsOf<kElement>;
  Carried fours[8 / kBits];
#pragma unroll
  for (int f = 0; f < 8 / kBits; ++f) {
    const int first = w * (32 / kBits) + 4 * f;
    unsigned fixed[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      fixed[i] = fixed_code<kElement, kCoding, true>(v[first + i]);
    }
    fours[f] = carried(fixed, word_of(random, first / 4));
  }
  // The high bytes of halves in order; of codes of 4 bits after two share a byte. Of four bytes of 2
  // bits, the product's highest byte is the codes, and nothing below it overlaps.
  constexpr unsigned kUnbiased = kUnbias<kElement, kCoding, true>;
  if constexpr (kBits == 8) {
    return __byte_perm(fours[0].even, fours[0].odd, 0x7351u) ^ kUnbiased;
  } else if constexpr (kBits == 4) {
    unsigned bytes[2];
#pragma unroll
    for (int f = 0; f < 2; ++f) {
      bytes[f] = (fours[f].odd * 16u & 0xF000F000u) | (fours[f].even & 0x0FFF0FFFu);
    }
    return __byte_perm(bytes[0], bytes[1], 0x7531u) ^ kUnbiased;
  } else {
    unsigned high[4];
#pragma unroll
    for (int f = 0; f < 4; ++f) {
      high[f] = __byte_perm(fours[f].even, fours[f].odd, 0x7351u) * 0x01041040u;
    }
    return highest_bytes(high[0], high[1], high[2], high[3]) ^ kUnbiased;
  }
}

// Of 4 or 2 bits to nearest, one after the other.
template <Element kElement, Coding kCoding>
__device__ unsigned narrow_word(const float (&v)[kLaneElements], int w) {
  constexpr int kBits = kBitsOf<kElement>;
  unsigned codes[32 / kBits];
#pragma unroll
  for (int i = 0; i < 32 / kBits; ++i) {
    const int e = w * (32 / kBits) + i;
    if constexpr (kElement == Element::nf4) {
      codes[i] = nf4_code(v[e]);
    } else {
      codes[i] = fixed_code<kElement, kCoding, false>(v[e]);
    }
  }
  return chained<kBits, kWholeBits>(codes) ^ kUnbias<kElement, kCoding, false>;
}

template <Element kElement>
__device__ unsigned fp8_pair(float a, float b) {
  return __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE,
                                  kElement == Element::e4m3 ? __NV_E4M3 : __NV_E5M2);
}

// Four codes of 8 bits, to nearest.
template <Element kElement, Coding kCoding>
__device__ unsigned byte_word(const float (&v)[kLaneElements], int w) {
  const int first = w * 4;
  if constexpr (kElement == Element::e4m3 || kElement == Element::e5m2) {
    return fp8_pair<kElement>(v[first], v[first + 1]) |
           fp8_pair<kElement>(v[first + 2], v[first + 3]) << 16;
  } else {
    unsigned codes[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kElement == Element::dynamic8) {
        codes[i] = dynamic8_code(v[first + i]);
      } else {
        codes[i] = fixed_code<kElement, kCoding, false>(v[first + i]);
      }
    }
    if constexpr (kElement == Element::dynamic8) {
      return highest_bytes(codes[0], codes[1], codes[2], codes[3]);
    } else {
      return __byte_perm(__byte_perm(codes[0], codes[1], 0x0040),
                         __byte_perm(codes[2], codes[3], 0x0040), 0x5410);
    }
  }
}

// The highest bits of 8 nibbles: the signs of the values of word w. A funnel shift takes in a
// value's highest 4 bits.
__device__ inline unsigned negative_nibbles(const float (&x)[kLaneElements], int w) {
  unsigned word = 0;
#pragma unroll
  for (int i = 7; i >= 0; --i) word = __funnelshift_l(__float_as_uint(x[8 * w + i]), word, 4);
  return word & 0x88888888u;
}

// The codes of 16 values x, which in units of the grid are `v`, or for E2M1 have the magnitudes `v`
// unless converts().
template <Element kElement, Coding kCoding, bool kStochastic>
__device__ Packed<kElement> pack_codes(const float (&x)[kLaneElements],
                                       const float (&v)[kLaneElements],
                                       [[maybe_unused]] const uint4& random) {
  constexpr int kBits = kBitsOf<kElement>;
  unsigned words[kPackedWords<kElement>];
#pragma unroll
  for (int w = 0; w < kPackedWords<kElement>; ++w) {
    if (converts<kElement, kStochastic>()) {
      words[w] = e2m1_codes(v + 8 * w);
      continue;
    }
    if constexpr (kStochastic) {
      words[w] = stochastic_word<kElement, kCoding>(v, random, w);
    } else if constexpr (kBits < 8) {
      words[w] = narrow_word<kElement, kCoding>(v, w);
    } else {
      words[w] = byte_word<kElement, kCoding>(v, w);
    }
    if constexpr (kElement == Element::e2m1) words[w] |= negative_nibbles(x, w);
  }
  return packed(words);
}

}  // namespace codecs::cuda
