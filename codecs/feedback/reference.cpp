#include <cmath>
#include <vector>

#include "codecs/feedback/feedback.hpp"

namespace codecs {

void encode_with_feedback(const Codec& codec, const Feedback& feedback,
                          std::span<const float> values, const RandomKey& key,
                          std::span<float> residual, std::span<std::byte> wire) {
  require(values.size() == residual.size(), "as many residuals as values");
  std::vector<float> sent(values.size()), decoded(values.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i] = std::fma(feedback.carry, residual[i], feedback.gain * values[i]);
  }
  codec.encode(codec.format, sent, key, wire);
  codec.decode(codec.format, wire, decoded);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    residual[i] = std::fma(feedback.keep, residual[i], feedback.take * (sent[i] - decoded[i]));
  }
}

}  // namespace codecs
