// SPDX-License-Identifier: Apache-2.0
// The wire formats used by schemes.
#pragma once

#include "codecs/codec.hpp"

namespace sim::formats {

inline constexpr codecs::Format kFp32{.element = codecs::Element::fp32};
inline constexpr codecs::Format kBf16{.element = codecs::Element::bf16};
// Weights that matrix products take without decoding; the scale of a whole tensor is not counted.
inline constexpr codecs::Format kFp8{.element = codecs::Element::e4m3};

// Stochastically rounded groups, SDP4Bit's format for everything it sends (arXiv 2410.15526,
// section 3).
constexpr codecs::Format stochastic(codecs::Element element, std::size_t group,
                                    codecs::Rotation rotation = codecs::Rotation::none) {
  return {.element = element,
          .scale = codecs::Scale::amax,
          .group = group,
          .rounding = codecs::Rounding::stochastic,
          .rotation = rotation};
}

}  // namespace sim::formats
