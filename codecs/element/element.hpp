// SPDX-License-Identifier: Apache-2.0
// One element and its code: the grids of Element as scalar functions, shared by all codecs that
// scale groups. A code is the low bits_of(element) bits of an unsigned number.
//
// Small floats (fp16, e4m3, e5m2, e2m1): sign, exponent, mantissa, from the top; subnormals as in
//   IEEE 754. Nearest, ties to even. FP8 and FP4 saturate to their largest value, infinities too,
//   and FP8 makes every NaN 0x7F, as the instruction cvt.rn.satfinite of NVIDIA GPUs does; FP16
//   overflows to infinity, and makes every NaN 0x7FFF.
// Integers: two's complement, symmetric: the most negative code is not used.
// Tables (nf4, dynamic8): codecs/element/tables.hpp.
// Power of two (natural compression, arXiv 1905.10988): sign in bit 7, then 7 bits k. k = 0 is 0,
//   1..126 is 2^(k-109), and 127 is a NaN, which infinities become too. Of the 127 exponents 2^-109
//   to 2^17 that fit (those of the GRACE library), the smallest stands for 0: what is rounded to it
//   decodes to 0. Larger magnitudes saturate to 2^17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

struct SmallFloat {
  int bits = 0;  // of the code
  int mantissa_bits = 0;
  int bias = 0;
  std::uint32_t largest = 0;  // code of the largest finite value
};
inline constexpr SmallFloat kFp16{.bits = 16, .mantissa_bits = 10, .bias = 15, .largest = 0x7BFF};
inline constexpr SmallFloat kE4m3{.bits = 8, .mantissa_bits = 3, .bias = 7, .largest = 0x7E};
inline constexpr SmallFloat kE5m2{.bits = 8, .mantissa_bits = 2, .bias = 15, .largest = 0x7B};
inline constexpr SmallFloat kE2m1{.bits = 4, .mantissa_bits = 1, .bias = 1, .largest = 0x7};

inline constexpr std::uint32_t kFp16NaN = 0x7FFF;
inline constexpr std::uint32_t kFp8NaN = 0x7F;

inline constexpr int kPowerOfTwoBias = 109;  // code k of power_of_two is 2^(k - 109)
inline constexpr std::uint32_t kPowerOfTwoNaN = 127;

// Saturates and keeps the sign. Not for NaN.
[[nodiscard]] std::uint32_t small_float_code(const SmallFloat& format, float value);
// The value of a finite code.
[[nodiscard]] float small_float_value(const SmallFloat& format, std::uint32_t code);

// floor(v + r) for r = random / 256 in [0, 1), in fixed point of 1/256: (rint(256 v) + random) /
// 256 rounded down. The largest code of an integer grid is never exceeded where |v| is not.
[[nodiscard]] int stochastic_integer(float scaled, std::uint8_t random);

// The largest value of the grid: 127, 7 or 1 of integers; 448, 57344, 6; 65504; 1 of tables.
[[nodiscard]] float largest_value(Element element);

// The code of a value in units of the grid. The value is finite, but for fp16 and power_of_two.
[[nodiscard]] std::uint32_t nearest_code(Element element, float scaled);
// Rounds up or down with the probability of the fraction in 1/256, of the magnitude for e2m1 and
// power_of_two: unbiased to 1/512 of a step. For integers, e2m1 and power_of_two.
[[nodiscard]] std::uint32_t stochastic_code(Element element, float scaled, std::uint8_t random);
[[nodiscard]] float value_of(Element element, std::uint32_t code);
// Values of all codes, by code.
[[nodiscard]] std::vector<float> values_of(Element element);

// Elements without a scale: one code after the other, little-endian, in the order of the values.
//   fp16     |error| <= max(2^-11 |x|, 2^-25), infinite from 65520 on
//   natural  |error| <= |x|; unbiased between 2^-107 and 2^17
extern const Codec fp16, natural;

void encode_elements(const Format& format, std::span<const float> values, const RandomKey& key,
                     std::span<std::byte> wire);
void decode_elements(const Format& format, std::span<const std::byte> wire,
                     std::span<float> values);

}  // namespace codecs
