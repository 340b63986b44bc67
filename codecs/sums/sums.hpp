// SPDX-License-Identifier: Apache-2.0
// Sums of float32 in one documented order, so that CPU and GPU get the same bits. Every sum starts
// at 0, every addition is rounded once, and values beyond the end count as 0:
//
//   lane    16 consecutive terms, in order; a square is added by a fused multiply-add
//   tile    32 lanes as a binary tree of neighbours: strides 1, 2, 4, 8, 16. Groups of fewer
//           elements are a part of the tree
//   group   its tiles, in order
//   strip   4 tiles, in order
//   tensor  term t of 1024 is the sum of strips t, t + 1024, t + 2048, ... in order; the 1024 terms
//           as a binary tree of neighbours: strides 1, 2, ..., 512
#pragma once

#include <cstddef>
#include <span>

namespace codecs {

inline constexpr std::size_t kSumLane = 16;
inline constexpr std::size_t kSumTile = 512;
inline constexpr std::size_t kSumStrip = 4 * kSumTile;
inline constexpr std::size_t kSumTerms = 1024;

// The term that each value adds.
enum class Term { value, magnitude, square };

[[nodiscard]] float sum_group(std::span<const float> group, Term term);
[[nodiscard]] float sum_tensor(std::span<const float> tensor, Term term);
// Of a tensor whose strips have these sums.
[[nodiscard]] float sum_strips(std::span<const float> strips);

}  // namespace codecs
