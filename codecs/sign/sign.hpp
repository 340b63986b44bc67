// SPDX-License-Identifier: Apache-2.0
// Signs, with one float32 magnitude for all values of a group or of the whole tensor.
//
// Wire layout of n elements, all little-endian; both parts start and end on 16 bytes:
//
//   payload  one bit a value, 1 for negative ones: value i is bit i % 8 of byte i / 8,
//            then zeros up to a multiple of 16 bytes
//   scales   one float32 for each group, the last of which may be short,
//            then zeros up to a multiple of 16 bytes
//
// Zeros of either sign count as positive. A value decodes to +scale or -scale, with
//   Scale::mean_magnitude    scale = sum |x| / n  (EF-signSGD, arXiv 1901.09847, algorithm 1)
//   Scale::root_mean_square  scale = sqrt(sum x^2 / n) = |x|_2 / sqrt(n)  (1-bit Adam, arXiv
//                            2102.02888)
// over the n values of the group that exist, with the sums of codecs/sums/sums.hpp.
//   - |decoded|_2 <= |x|_2 for both; the mean magnitude is the nearest such wire in the Euclidean
//     norm, and loses the part 1 - |x|_1^2 / (n |x|_2^2) of |x|_2^2: alone a codec for error
//     feedback.
//   - A group of zeros has scale 0 and decodes to zeros.
//   - A group that contains a NaN or an infinity, or whose sum is beyond float32, has a NaN scale
//     and bits 0, and decodes to NaN throughout.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

extern const Codec sign_g2048;   // mean magnitude of 2048 values
extern const Codec sign_tensor;  // of the tensor
extern const Codec one_bit;      // root mean square of the tensor

// Groups are powers of two from 128 to 8192, or kWholeTensor.
void encode_signs(const Format& format, std::span<const float> values, const RandomKey& key,
                  std::span<std::byte> wire);
void decode_signs(const Format& format, std::span<const std::byte> wire, std::span<float> values);

// Adds up `inputs` wires of sums.size() values each, laid end to end in `wires`: from 0, in order.
void decode_reduce_signs(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums);

// Throws std::invalid_argument unless `format` is one of the above.
void require_sign_format(const Format& format);

}  // namespace codecs
