// SPDX-License-Identifier: Apache-2.0
// LoCo (arXiv 2407.04480): error feedback whose residual is a moving average of the errors, itself
// kept as INT8 groups between steps: about 1 byte per value instead of 4.
//
//   e         = decoded residual
//   h         = gain * values + carry * e                 wire = codes of h
//   residual' = codes of keep * e + take * (h - decoded)  with keep = beta, take = 1 - beta
//
// DeepSpeed's LoCo-Zero++ takes beta = 0.8, Scale::amax_full and 4 bits, and clears the residual
// every 1024 steps. A residual of zero bytes represents zeros. The arithmetic is that of
// codecs/feedback/feedback.hpp and codecs/group/group.hpp. If a group of h is not finite, the
// residual's bytes stay unchanged.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/feedback/feedback.hpp"

namespace codecs {

inline constexpr float kLocoBeta = 0.8f;

struct Loco {
  Format wire = {};  // INT4 or INT8 groups without a transform
  Feedback feedback = {.keep = kLocoBeta, .take = 1 - kLocoBeta};
};

// INT8 in groups of the same size, with scale 2^7.
[[nodiscard]] Format residual_format(const Loco& loco);

// `residual` is encoded_bytes(residual_format(loco), values.size()) long and updated in place.
void encode_loco(const Loco& loco, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> residual, std::span<std::byte> wire);

}  // namespace codecs
