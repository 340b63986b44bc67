// SPDX-License-Identifier: Apache-2.0
// TernGrad (arXiv 1705.07878): each value becomes -s, 0 or s at random, with the clipped value as
// the mean.
//
// Wire layout: that of codecs/group/group.hpp for INT2 codes with one float32 scale s for each
// group (or for the tensor). With n values in a group, in float32 and with the sums of
// codecs/sums/sums.hpp:
//
//   mean      = (sum x) / n
//   variance  = fma(-mean, mean, (sum x^2) / n), at least 0
//   limit     = 2.5 sqrt(variance)     equation (10): 2.5 sigma; none where squares overflow
//   s         = min(amax, limit)       the largest magnitude of the clipped values
//   code      = (rint(256 v) + random byte) >> 8 of v = clip(x, -s, s) * (1 / s)
//
//   - |error| <= amax. The mean error over the random bits is that of clipping and at most s / 512.
//   - s below 127 * 2^-126 is 0, and the group decodes to zeros: those of zeros, denormals, and of
//     equal values, whose sigma is 0.
//   - A group that contains a NaN or an infinity has a NaN scale and codes 0.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr float kClippedSigmas = 2.5f;

extern const Codec terngrad;  // one scale per tensor
extern const Codec terngrad_g512;

// Groups are powers of two from 16 to 512, or kWholeTensor; codes are Element::int2, rounded
// stochastically.
void encode_ternary(const Format& format, std::span<const float> values, const RandomKey& key,
                    std::span<std::byte> wire);
void decode_ternary(const Format& format, std::span<const std::byte> wire, std::span<float> values);

// Throws std::invalid_argument unless `format` is one of the above.
void require_ternary_format(const Format& format);
// The format of codecs/group/group.hpp that decodes the same wire.
[[nodiscard]] Format ternary_as_group(const Format& format);

}  // namespace codecs
