// SPDX-License-Identifier: Apache-2.0
// EDEN (Vargaftik et al., "EDEN: communication-efficient and robust distributed mean estimation for
// federated learning", ICML 2022, arXiv 2108.08842), whose 1-bit case is DRIVE (NeurIPS 2021, arXiv
// 2105.08339). Values rotated by random signs and the Hadamard transform are nearly normal, so each
// becomes the nearest of 2^b Lloyd-Max centroids of the normal distribution. One scale per group
// makes the projection of the decoded group onto the group equal to the group itself: over the
// random rotations, the estimate is unbiased. The error is the same for every distribution: |error|
// / |values| is 0.7555, 0.3649, 0.1892, 0.0979 for 1 to 4 bits, up to O(1 / group).
//
// A group is a block of the rotation, d = 128, 256 ... 8192 elements. It is encoded as
//
//   z    = H (signs * values)              codecs/rotation/rotation.hpp, not normalised
//   p    = 2^(127 - e), at least 2^-126    e = exponent field of the largest |value|
//   w    = z * p                           cannot overflow
//   v    = w * sqrt(d / square)            square = sum of w^2
//   code = the nearest centroid to |v|, of two as near the lower, and the sign bit of v
//   s    = square / (sum of centroid * w) * (1 / d) * (1 / p), one rounding for each operation
//
// and decoded as signs * H (s * centroids), without a division. Both sums are of float32 in this
// order: the 16 terms of a word (below) by fused multiply-adds from 0, in the order of the word;
// then pairs of neighbouring words, pairs of those, and so on up to 32 words; then those sums one
// after the other.
//
// Wire layout of n elements in G = ceil(n / d) groups, all little-endian:
//
//   bytes 0-15   the signs' key: codecs/rotation/rotation.hpp
//   codes        d b / 8 bytes for each group. Word t of a group, of d / 16, holds the codes of its
//                elements t, t + d / 16, t + 2 d / 16 ..., the first in the lowest bits: this is
//                what a thread has in its registers after the transform.
//                  1, 2, 4 bits: words of 2, 4, 8 bytes; sign in a code's highest bit
//                  3 bits: d / 16 words of 4 bytes with 2 bits of magnitude for each element,
//                  then d / 16 words of 2 bytes with the signs
//   scales       one float32 for each group, then zeros up to a multiple of 16 bytes
//
//   - The last group is filled up with zeros.
//   - A group whose largest magnitude is below 127 * 2^-126 has scale 0 and codes 0: exact zeros.
//   - A group with a NaN or an infinity has a NaN scale and codes 0, and decodes to NaN throughout.
//     So does one whose transform overflows, which takes values beyond 2^127 / d.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::size_t kSmallestEden = 128;
inline constexpr std::size_t kLargestEden = 8192;
inline constexpr std::size_t kEdenWord = 16;        // codes of a word
inline constexpr std::size_t kEdenNeighbours = 32;  // words summed in pairs

// Positive Lloyd-Max centroids of the standard normal distribution (Max, "Quantizing for minimum
// distortion", IRE Transactions on Information Theory 6, 1960), for 1 to 4 bits: half as many as
// there are codes. A threshold is half the sum of its neighbours.
inline constexpr std::array kLloydMax1{0.79788456f};
inline constexpr std::array kLloydMax2{0.45278003f, 1.51041761f};
inline constexpr std::array kLloydMax3{0.24509418f, 0.75600528f, 1.34390928f, 2.15194570f};
inline constexpr std::array kLloydMax4{0.12839503f, 0.38804830f, 0.65675912f, 0.94234046f,
                                       1.25623120f, 1.61804639f, 2.06901723f, 2.73258957f};

// Groups of 4096. Other sizes work with the same functions.
extern const Codec eden1_g4096, eden2_g4096, eden3_g4096, eden4_g4096;

void encode_eden(const Format& format, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> wire);
void decode_eden(const Format& format, std::span<const std::byte> wire, std::span<float> values);

// Adds up `inputs` wires laid end to end, which must have the same signs, before a single inverse
// rotation: from 0, in order, each by one fused multiply-add of centroid and scale.
void decode_reduce_eden(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                        std::span<float> sums);

}  // namespace codecs
