// The wire formats that schemes are made of.
#pragma once

#include "codecs/codec.hpp"

namespace sim::formats {

inline constexpr codecs::Format kFp32{.bits = 32};
inline constexpr codecs::Format kBf16{.bits = 16};

// Stochastically rounded groups, as SDP4Bit sends everything (arXiv 2410.15526, section 3).
constexpr codecs::Format stochastic(int bits, std::size_t group, bool hadamard) {
  return {
      .bits = bits, .group = group, .rounding = codecs::Rounding::stochastic, .hadamard = hadamard};
}

}  // namespace sim::formats
