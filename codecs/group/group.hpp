// SPDX-License-Identifier: Apache-2.0
// Groups of consecutive elements that share a scale: integers, FP8, FP4 and tables of values, on
// grids that span the group's largest magnitude, its range or its norm. The codes are in
// codecs/element/element.hpp.
//
// Wire layout of n elements, all little-endian. Both parts start and end on 16 bytes, so that wires
// laid end to end in one buffer stay aligned for 16-byte accesses:
//
//   payload  n codes of b = bits_of(element) bits (with Hadamard: n rounded up to 32, as the
//            transform fills its block), code i from bit i b on, counted from the low end: with 4
//            bits, element 2 i is the low nibble of byte i; then zeros up to a multiple of 16 bytes
//   scales   one entry for each group, the last of which may be short, then zeros up to a multiple
//            of 16 bytes:
//              amax, amax_full, norm   float32 step s
//              min_max                 float32 step s, float32 minimum m; codes are unsigned
//              reciprocal              float32 multiplier k, float32 0
//              e8m0_*                  1 byte u: s = 2^(u - 127); 255 is NaN
//              e4m3_tensor             first, once a wire, float32 scale t of the tensor and 12
//                                      zero bytes; then 1 byte E4M3 a group: s = byte * t
//
// A group decodes to value(code) * s; with min_max to fma(code, s, m). With c the largest value of
// the grid (127, 7, 1; 448; 57344; 6; 1 of tables) and all operations in float32, each rounded
// once, in this order:
//   amax         s = amax / c, codes of x * (c / amax)
//   amax_full    the same with c = 2^(b-1); the code 2^(b-1) is clipped to the largest
//   min_max      s = (max - min) / (2^b - 1), codes of (x - min) * ((2^b - 1) / (max - min))
//   norm         s = |x| / c, codes of x * (c / |x|). Squares of 16 consecutive elements are added
//                in order, each by a fused multiply-add from 0, and these sums by pairs of
//                neighbours, then by pairs of pairs, absent ones being 0.
//   reciprocal   k = (c d) / (amax + 1e-20), codes of x * (k / d), s = d / k: see below
//   e8m0_floor   u = exponent of amax - exponent of c (biased, and within 0..254, as all u)
//   e8m0_even    the same of bits(amax) + half of the element's last place
//   e8m0_ceil    u = (bits(amax / c) + 0x7FFFFF) >> 23
//                all three: codes of x * 2^(127 - u)
//   e4m3_tensor  S = min(2688 / amax of the tensor, largest float), 1 for zeros; t = 1 / S;
//                byte = E4M3((amax / 6) * S); codes of x * (S / byte); byte 0: the group is zeros
//
// reciprocal is FBGEMM's FP8 of rows (quantize_comm), whose grids are those of FP8 times a power of
// two d, with the same codes: 1-4-3 bits of bias 15 are E4M3, of bias 7, times d = 2^-8, and 1-5-2
// bits of bias 31 are E5M2, of bias 15, times d = 2^-16; subnormals too. Its largest values are
// 0.9375 = 240 d (the code 0x77: the top binade of E4M3 is unused) and 0.875 = 57344 d; so c = 240
// or 57344. Its codes of x * k are ours, as scaling by d is exact but where both are 0. FBGEMM
// divides by k where this multiplies by s: a decoded value may differ in the last digits. There is
// no scale 0; a NaN, which FBGEMM's fmaxf drops, makes k a NaN as everywhere here.
//
// Integers and E2M1 are rounded to the nearest, ties to even, or stochastically in 1/256 of a step
// (codecs/element/element.hpp), then clipped to the grid. FP8 and tables are only rounded to the
// nearest.
//
// Error bounds, with h half the distance of the grid's values around x / s, in units of s: 1/2 for
// integers; 1/4 below 2, 1/2 below 4, 1 above for E2M1; max(2^-4 |x / s|, 2^-10) for E4M3;
// max(2^-3 |x / s|, 2^-17) for E5M2.
//   - Nearest: |error| <= max(h s, |x| - c s).
//   - Stochastic: |error| < max((2 + 2^-7) h s, |x| - c s), and the mean error is at most h s/256
//     where nothing saturates: the value is rounded to 1/256 of a step, and its fraction compared
//     with 8 random bits.
//   - Values beyond c s, which saturate, are those above 7/8 of amax with e8m0_floor and E4M3 or
//     E5M2, above 3/4 of it with E2M1 (6/7 with e8m0_even); the top code's with amax_full (less
//     than s); and with e4m3_tensor those of a group whose byte was rounded down: by 1/16 at the
//     most, but by a third where the byte is denormal. A group 2^-18.8 below its tensor's amax has
//     byte 0, and decodes to zeros.
//   - nf4: |error| <= 0.1520 amax; dynamic8: |error| <= 0.00704 amax.
//   - min_max: float32 rounding adds 2^-22 of the largest of |max| and |min|.
//   - reciprocal: 1e-20 makes s larger; groups with amax below 4e-26 (E4M3) or 1.3e-30 (E5M2) are
//     zeros.
//   - A group with amax < 127 * 2^-126 (zeros, denormals), or so small that c / amax overflows, has
//     scale 0, and decodes to zeros; with min_max the same of max - min, and it decodes to min.
//     norm squares in float32: groups with a norm below 2^-60 lose digits, or all.
//   - A group that contains a NaN or an infinity has a NaN scale, and decodes to NaN throughout;
//     with e4m3_tensor the whole tensor does: what looks for overflows after the exchange finds
//     them. So does a group whose range (min_max) or norm overflows.
//   - A group whose amax is within 2^-22 of the largest float (reciprocal: 2^-20) may decode to
//     infinity.
// With Hadamard, s is that of the transform, whose widest bound holds for each value, up to the
// float32 rounding of the transform; values beyond 1e37, whose transform may overflow, may decode
// to NaN.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::size_t kWireAlignment = 16;  // bytes
[[nodiscard]] constexpr std::size_t round_up(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}
[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes) {
  return round_up(bytes, kWireAlignment);
}

inline constexpr float kTinyGroup = 127 * 0x1p-126f;     // amax below which a group is all zeros
inline constexpr std::uint32_t kNaNScale = 0x7FC00000u;  // bits of the scale of a non-finite group
inline constexpr std::uint32_t kInfinityBits = 0x7F800000u;
// The order of magnitudes; NaNs rank above infinity.
[[nodiscard]] constexpr std::uint32_t magnitude_bits(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFu;
}

// Of Scale::reciprocal: c d and d above, for e4m3 and e5m2.
inline constexpr float kReciprocalEpsilon = 1e-20f;
constexpr float reciprocal_largest(Element element) {
  return element == Element::e4m3 ? 0.9375f : 0.875f;
}
constexpr float reciprocal_unit(Element element) {
  return element == Element::e4m3 ? 0x1p-8f : 0x1p-16f;
}

// Sizes and offsets of a wire.
struct GroupWire {
  std::size_t groups = 0;
  std::size_t coded_elements = 0;
  std::size_t payload_bytes = 0;  // padding included
  std::size_t scales_offset = 0;  // of the first group's scale
  std::size_t bytes = 0;          // of all
};
[[nodiscard]] GroupWire group_wire(const Format& format, std::size_t elements);
// Of kGroupLayout, and of others whose wires hold one.
[[nodiscard]] double group_bytes_per_element(const Format& format);
[[nodiscard]] bool layout_takes_group(const Format& format, std::size_t group);

// Rows of the registry's table. Any other group size that is a multiple of 8, and the whole tensor,
// work with the same functions; kernels take groups of a power of two from 16 up.
extern const Codec fp8_e4m3, fp8_e5m2, fp8_e4m3_g128, fp8_e5m2_g128;
extern const Codec mxfp8, mxfp8_floor, mxfp8_e5m2;
extern const Codec mxfp4, mxfp4_sr, mxfp4_ceil, mxfp4_floor, nvfp4, nvfp4_sr;
extern const Codec int8_g128, int8_g128_sr, int8_g128_hadamard_sr;
extern const Codec int8_g512, int8_g512_sr, int8_g2048, int8_g2048_sr;
extern const Codec int4_g32, int4_g32_sr, int4_g64, int4_g64_sr;
extern const Codec int4_g128, int4_g128_sr, int4_g128_hadamard, int4_g128_hadamard_sr;
extern const Codec int4_g256, int4_g256_sr, int4_g512, int4_g512_sr;
extern const Codec int4_g1024, int4_g1024_sr, int4_g2048, int4_g2048_sr;
extern const Codec int2_g32_sr, int2_g128_sr;
extern const Codec int8_full_g2048, int4_full_g128, int4_full_g2048;
extern const Codec int8_minmax_g1024, int8_minmax_g1024_sr, int4_minmax_g512, int4_minmax_g512_sr;
extern const Codec fbgemm_e4m3_g32, fbgemm_e5m2_g32, fbgemm_int8_g32, nf4_g64, nf4_g128, bnb8_g4096;
extern const Codec qsgd_int8_g512, qsgd_int4_g512;

void encode_groups(const Format& format, std::span<const float> values, const RandomKey& key,
                   std::span<std::byte> wire);
void decode_groups(const Format& format, std::span<const std::byte> wire, std::span<float> values);

// Adds up `inputs` wires of sums.size() values each, laid end to end in `wires`. The sum starts at
// 0 and adds the wires in order, each by one float32 fused multiply-add (min_max: each decoded by
// one, then added); the inverse transform, if the format has one, comes last.
void decode_reduce(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                   std::span<float> sums);

}  // namespace codecs
