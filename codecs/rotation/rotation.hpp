// SPDX-License-Identifier: Apache-2.0
// Random rotation of every `block` consecutive values, block = 16, 32 ... 8192: signs from a
// counter, then the Walsh-Hadamard transform. Rotated values are nearly normal whatever the input,
// so that a quantiser for normal values suits them all. The rotation is linear: if all ranks use
// the same signs, rotated values may be summed before a single inverse. A SignKey is therefore made
// of seed, step and tensor, but not of the rank.
//
//   key      = words 0 and 1 of philox({0, 0, tensor, 2^32 - 1}, philox_key(seed, step))
//   counter  = { low word of b, high word of b, 0, 0 },  b = element / 128
//   sign     = minus if bit element % 32 of output word element % 128 / 32 is set
//   rotated  = H (signs * values)            strides 1, 2, 4 ... block / 2
//   values   = signs * (H rotated) / block   strides block / 2 ... 4, 2, 1
//
// H goes through its strides one by one, and for each through every pair (i, i + stride) of the
// block: (a, b) -> (a + b, a - b). The forward transform is not normalised: the Euclidean norm
// grows by sqrt(block), values at most block-fold. The division by a power of two is exact except
// for denormals.
//
// Any format of group.hpp can be sent rotated. Its wire begins with the source of the signs, so
// that it can be decoded by itself, and holds whole blocks:
//
//   bytes 0-7    key, little-endian, word 0 first
//   bytes 8-15   index in the tensor of the first value, little-endian
//   from 16 on   the wire of the rotated values, n rounded up to whole blocks, without rotation
//
// The bounds of the inner wire hold for each rotated value, so the largest of them bounds the
// Euclidean norm of a block's errors. A NaN or an infinity makes at least its block NaN throughout;
// so may values beyond 2^127 / block, whose transform may overflow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::size_t kSmallestRotation = 16;
inline constexpr std::size_t kLargestRotation = 8192;
inline constexpr std::uint64_t kSignsPerDraw = 128;
inline constexpr std::size_t kSignKeyBytes = 16;  // on the wire

struct SignKey {
  std::array<std::uint32_t, 2> key = {};
  std::uint64_t first_element = 0;  // a multiple of 16
  friend bool operator==(const SignKey&, const SignKey&) = default;
};
[[nodiscard]] SignKey sign_key(const RandomKey& key);

// In place; the count must be a multiple of `block`, a power of two from 16 to 8192. Both throw
// std::invalid_argument.
void rotate(std::size_t block, const SignKey& signs, std::span<float> values);
void rotate_back(std::size_t block, const SignKey& signs, std::span<float> values);
// rotate_back without the division by `block`.
void rotate_back_unscaled(std::size_t block, const SignKey& signs, std::span<float> values);

// The number of values in a wire with rotation.
[[nodiscard]] std::size_t rotated_elements(const Format& format, std::size_t elements);
// The values, padded with zeros to whole blocks, and rotated.
[[nodiscard]] std::vector<float> rotated_values(const Format& format, const SignKey& signs,
                                                std::span<const float> values);

// Of a wire with rotation: the key, and the rotated values' groups.
[[nodiscard]] std::size_t rotated_bytes(const Format& format, std::size_t elements);

void store_sign_key(const SignKey& signs, std::span<std::byte> wire);
// Key of `inputs` wires laid end to end; throws std::invalid_argument unless all have the same key.
[[nodiscard]] SignKey load_sign_key(std::span<const std::byte> wires, std::size_t inputs = 1);

// The format of the rotated values. Throws std::invalid_argument if the format has no rotation by
// random signs.
[[nodiscard]] Format without_rotation(Format format);

extern const Codec int4_g128_rht128_sr, int4_g128_rht4096;
extern const Codec nvfp4_rht16, nvfp4_rht16_sr;

void encode_rotated(const Format& format, std::span<const float> values, const RandomKey& key,
                    std::span<std::byte> wire);
void decode_rotated(const Format& format, std::span<const std::byte> wire, std::span<float> values);
// The sum of wires with equal signs, as decode_reduce of group.hpp, and a single inverse rotation.
void decode_reduce_rotated(const Format& format, std::span<const std::byte> wires,
                           std::size_t inputs, std::span<float> sums);

}  // namespace codecs
