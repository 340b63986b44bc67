// SPDX-License-Identifier: Apache-2.0
// MXINT8 of the OCP Microscaling specification: 8-bit integers, and a power of two for 32 of them.
//
// Wire layout of n values; both parts end on 16 bytes, with zeros:
//   bytes 0 to n-1        codes, two's complement in [-127, 127], in the order of the values
//   then, from a multiple of 16 on, one byte u a group of 32 values: its scale is 2^(u - 133)
// u is the exponent of the group's largest magnitude, as float32 has it, so that codes reach from
// 64 to 127; 0 is a group of zeros or of values below 2^-126, 255 one that holds a NaN or an
// infinity, and decodes to NaN.
// Error: at most half a scale, or a whole one where a code of 128 is clipped to 127.
#pragma once

#include "codecs/codec.hpp"

namespace codecs {

extern const Codec mxint8;

}  // namespace codecs
