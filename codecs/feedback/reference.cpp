// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include "codecs/feedback/feedback.hpp"

namespace codecs {

float sent_with(const Feedback& feedback, float value, float residual) {
  const float sent = std::fma(feedback.carry, residual, feedback.gain * value);
  return std::isnan(sent) ? std::numeric_limits<float>::quiet_NaN() : sent;
}

float residual_after(const Feedback& feedback, float residual, float sent, float decoded) {
  const float after = std::fma(feedback.keep, residual, feedback.take * (sent - decoded));
  return std::isfinite(after) ? after : residual;
}

void encode_with_feedback(const Codec& codec, const Feedback& feedback,
                          std::span<const float> values, const RandomKey& key,
                          std::span<float> residual, std::span<std::byte> wire) {
  require(values.size() == residual.size(), "as many residuals as values");
  std::vector<float> sent(values.size()), decoded(values.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i] = sent_with(feedback, values[i], residual[i]);
  }
  codec.encode(codec.format, sent, key, wire);
  codec.decode(codec.format, wire, decoded);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    residual[i] = residual_after(feedback, residual[i], sent[i], decoded[i]);
  }
}

}  // namespace codecs
