// SPDX-License-Identifier: Apache-2.0
// float32, unchanged: the identity, the baseline for every scheme.
//
// Wire layout: n little-endian float32, 4 n bytes, in the order of the values.
#pragma once

#include "codecs/codec.hpp"

namespace codecs {

extern const Codec fp32;

}  // namespace codecs
