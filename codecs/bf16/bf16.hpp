// SPDX-License-Identifier: Apache-2.0
// bfloat16: the upper half of a float32, rounded to nearest, ties to even.
//
// Wire layout: n little-endian bfloat16, 2 n bytes, in the order of the values.
// The relative error of a normal value is at most 2^-8; the absolute error of a denormal at most
// 2^-134. Infinities stay; finite values beyond the largest bfloat16 become infinite; every NaN
// becomes 0x7FFF, as in the conversion instruction of NVIDIA GPUs.
#pragma once

#include <cstdint>

#include "codecs/codec.hpp"

namespace codecs {

struct Bf16 {
  std::uint16_t bits = 0;
  friend bool operator==(Bf16, Bf16) = default;
};

inline constexpr std::uint16_t kBf16NaN = 0x7FFF;

[[nodiscard]] Bf16 to_bf16(float value);
[[nodiscard]] float to_float(Bf16 value);

extern const Codec bf16;

}  // namespace codecs
