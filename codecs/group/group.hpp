// Symmetric integers with one float32 scale per group of consecutive elements: INT8 in [-127, 127],
// INT4 in [-7, 7]. The most negative code is never used, so the grid is symmetric about 0.
//
// Wire layout of n elements, all little-endian. Both parts start and end on 16 bytes, so that wires
// laid end to end in one buffer stay aligned for 16-byte accesses:
//
//   payload  INT8: one byte a code, two's complement
//            INT4: one nibble a code, two's complement; element 2 i in the low nibble of byte i
//            of n codes (with Hadamard: n rounded up to 32, as the transform fills its block),
//            then zeros up to a multiple of 16 bytes
//   scales   one float32 for each group, the last of which may be short,
//            then zeros up to a multiple of 16 bytes
//
// A group of largest magnitude amax has scale s = amax / (2^(bits-1) - 1) and decodes to code * s.
//   - Nearest: |error| <= s/2. Stochastic: |error| < (1 + 2^-8) s, and the mean error is at most
//   s/512:
//     the value is rounded to 1/256 of a step, and its fraction compared with 8 random bits.
//   - A group with amax < 127 * 2^-126 (zeros, denormals) has scale 0, and decodes to zeros.
//   - A group that contains a NaN or an infinity has a NaN scale, and decodes to NaN throughout:
//   what
//     looks for overflows after the exchange finds them.
//   - A group whose amax is within 2^-22 of the largest float may decode to infinity.
// With Hadamard, s is that of the transform, and the same bounds hold for each value, up to the
// float32 rounding of the transform; values beyond 1e37, whose transform may overflow, may decode
// to NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::size_t kWireAlignment = 16;        // bytes
inline constexpr float kTinyGroup = 127 * 0x1p-126f;     // amax below which a group is all zeros
inline constexpr std::uint32_t kNaNScale = 0x7FC00000u;  // bits of the scale of a non-finite group
inline constexpr std::uint32_t kInfinityBits = 0x7F800000u;

// Sizes and offsets of a wire.
struct GroupWire {
  std::size_t groups = 0;
  std::size_t coded_elements = 0;
  std::size_t payload_bytes = 0;  // with padding
  std::size_t scales_offset = 0;
  std::size_t bytes = 0;  // of all
};
[[nodiscard]] GroupWire group_wire(const Format& format, std::size_t elements);

// Rows of the registry's table. Any other group size works with the same functions.
extern const Codec int8_g128, int8_g128_sr, int8_g128_hadamard_sr;
extern const Codec int4_g128, int4_g128_sr, int4_g128_hadamard_sr;
extern const Codec int4_g2048, int4_g2048_sr;

void encode_groups(const Format& format, std::span<const float> values, const RandomKey& key,
                   std::span<std::byte> wire);
void decode_groups(const Format& format, std::span<const std::byte> wire, std::span<float> values);

// Adds up `inputs` wires of sums.size() values each, laid end to end in `wires`. The sum starts at
// 0 and takes the wires in order, each by one fused multiply-add of float32; the inverse transform,
// where the format has one, comes last.
void decode_reduce(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                   std::span<float> sums);

}  // namespace codecs
