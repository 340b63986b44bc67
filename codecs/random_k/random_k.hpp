// SPDX-License-Identifier: Apache-2.0
// Random elements instead of the largest: every rank draws the same elements from the seed, so that
// only values travel, and wires can be added up in flight (random-k; Stich et al., "Sparsified SGD
// with memory", arXiv 1809.07599).
//
// A draw is 8 neighbouring values, one 32-byte sector of memory: the `keep` elements of a group are
// one draw from each of keep / 8 equal strata of the group. Every element is drawn with probability
// keep / group; keep / 8 and the size of a stratum are powers of two.
//
// Wire layout, little-endian, 32 + 32 ceil(n / stratum) bytes:
//   bytes 0-31  uint32 Philox key (2 words), uint32 tensor, 0, uint64 first element, 0, 0
//   values      for each stratum its 8 float32 (NaNs as 0x7FC00000), zeros beyond the tensor's end
// The header is equal on all ranks; the values are what an all_reduce adds up.
//
// Stratum s draws its block w mod (stratum / 8), where w is the first word of Philox of block
// (first element + s stratum) / 16 (codecs/random/random.hpp) with the rank 2^32 - 1 for all.
//
// Rounding::stochastic multiplies by group / keep: the mean over draws is the value, and the
// relative error is sqrt(group / keep - 1). Rounding::nearest sends unscaled values, for error
// feedback: relative error sqrt(1 - keep / group).
//
// Elements that are not drawn are not read, except by an encode with feedback: a NaN among them is
// lost, and leaves the residual unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::size_t kDrawElements = 8;
inline constexpr std::size_t kRandomKHeaderBytes = 32;

extern const Codec random_k64, random_k64_unscaled;

// Throws std::invalid_argument for another codec's formats.
[[nodiscard]] std::size_t stratum_elements(const Format& format);
[[nodiscard]] std::size_t random_k_bytes(const Format& format, std::size_t elements);
[[nodiscard]] double random_k_bytes_per_element(const Format& format);

void encode_random_k(const Format& format, std::span<const float> values, const RandomKey& key,
                     std::span<std::byte> wire);
void decode_random_k(const Format& format, std::span<const std::byte> wire,
                     std::span<float> values);
// Adds up `inputs` wires laid end to end: each sum starts at 0 and adds the wires in order, in
// float32.
void decode_reduce_random_k(const Format& format, std::span<const std::byte> wires,
                            std::size_t inputs, std::span<float> sums);

}  // namespace codecs
