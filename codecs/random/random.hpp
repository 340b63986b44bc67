// SPDX-License-Identifier: Apache-2.0
// Counter-based random bytes for stochastic rounding: Philox4x32-7 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011), with the fewest rounds that pass BigCrush, since encoding
// bfloat16 into 4 bits leaves no time for more instructions. One call gives 16 bytes, one for each
// of 16 consecutive elements, so that any thread can draw the bits of any element.
//
//   key      = splitmix64(splitmix64(seed) + step), low word first
//   counter  = { low word of block, high word of block, tensor, rank },  block = element / 16
//   byte     = byte element % 4 (little-endian) of output word element % 16 / 4
#pragma once

#include <array>
#include <cstdint>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::uint32_t kPhiloxMultiplier0 = 0xD2511F53u;
inline constexpr std::uint32_t kPhiloxMultiplier1 = 0xCD9E8D57u;
inline constexpr std::uint32_t kPhiloxWeyl0 = 0x9E3779B9u;
inline constexpr std::uint32_t kPhiloxWeyl1 = 0xBB67AE85u;
inline constexpr int kPhiloxRounds = 7;

inline constexpr std::uint64_t kElementsPerDraw = 16;

// The counter's rank for draws that are equal on all ranks: no rank has this number.
inline constexpr std::uint32_t kSharedRank = 0xFFFFFFFFu;

[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

// The Philox key of a seed and a step.
[[nodiscard]] std::array<std::uint32_t, 2> philox_key(const RandomKey& key);

// The random byte of each element; cheap if elements come in ascending order.
class RandomBytes {
 public:
  explicit RandomBytes(const RandomKey& key);
  [[nodiscard]] std::uint8_t operator()(std::uint64_t element);

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t tensor_;
  std::uint32_t rank_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_;  // of block_
};

}  // namespace codecs
