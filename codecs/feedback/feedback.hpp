// SPDX-License-Identifier: Apache-2.0
// Error feedback: the error of an encode is kept in a residual and sent later, so that a codec with
// a large one-step error has none in the long run.
//
//   sent     = gain * values + carry * residual
//   residual = keep * residual + take * (sent - decoded(sent))
//
// If the new residual would not be finite, the old one stays: a NaN or an infinity only spoils the
// step that sends it, and later steps continue. Processors make NaNs of different bits: each is sent
// as the quiet one, 0x7FC00000.
//
// EF-SGD (arXiv 1901.09847) and SparseLoCo (arXiv 2508.15706, carry = its beta): keep 0, take 1.
// LoCo (arXiv 2407.04480): keep = its beta, take = 1 - beta. Each product and sum is rounded to
// float32 once, in the order of a fused multiply-add: fma(carry, residual, gain * values), and
// fma(keep, residual, take * (sent - decoded)).
#pragma once

#include <cstddef>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

struct Feedback {
  float gain = 1;
  float carry = 1;
  float keep = 0;
  float take = 1;
};

// What is sent for one value.
[[nodiscard]] float sent_with(const Feedback& feedback, float value, float residual);

// The residual of one value sent as `sent` and decoded to `decoded`.
[[nodiscard]] float residual_after(const Feedback& feedback, float residual, float sent,
                                   float decoded);

// For any codec, through its encode and decode. `residual` is as long as `values` and updated in
// place. Throws std::invalid_argument if the sizes disagree.
void encode_with_feedback(const Codec& codec, const Feedback& feedback,
                          std::span<const float> values, const RandomKey& key,
                          std::span<float> residual, std::span<std::byte> wire);

}  // namespace codecs
