// SPDX-License-Identifier: Apache-2.0
// Walsh-Hadamard transform of every 32 consecutive values: it spreads an outlier over its block,
// which reduces a group's largest value and with it the quantisation step. The transform is linear,
// so encoded gradients may be summed before a single inverse transform.
//
// The order of additions is fixed, so that CPU and GPU agree bit for bit: stages of stride 1, 2, 4,
// 8, 16, and in each for every pair (i, i + stride) of the block: (a, b) -> (a + b, a - b). The
// forward transform is not normalised (values grow at most 32-fold); the inverse is the same
// transform, then a multiplication by 1/32.
#pragma once

#include <cstddef>
#include <span>

namespace codecs {

inline constexpr std::size_t kHadamardBlock = 32;

// In place; the count must be a multiple of kHadamardBlock. Throws std::invalid_argument.
void hadamard(std::span<float> values);
void inverse_hadamard(std::span<float> values);

}  // namespace codecs
