// SPDX-License-Identifier: Apache-2.0
// MXINT8 of the OCP Microscaling specification: 8-bit integers with one power-of-two scale per 32
// values.
//
// Wire layout of n values. Zeros pad both parts to a multiple of 16 bytes:
//   bytes 0 to n-1        codes, two's complement in [-127, 127], in the order of the values
//   then, from the next multiple of 16, one byte u per group of 32 values; its scale is 2^(u - 133)
// u is the biased float32 exponent of the group's largest magnitude, so the largest code is between
// 64 and 127. u = 0 marks a group of zeros or of values below 2^-126. u = 255 marks a group with a
// NaN or an infinity; the whole group decodes to NaN.
// Error: at most half a scale, or a whole scale if a code of 128 is clipped to 127.
#pragma once

#include "codecs/codec.hpp"

namespace codecs {

extern const Codec mxint8;

}  // namespace codecs
