// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "codecs/difference/difference.hpp"
#include "codecs/group/group.hpp"

namespace codecs {

void encode_difference(const Format& format, std::span<const float> master,
                       std::span<const Bf16> model, const RandomKey& key,
                       std::span<std::byte> wire) {
  require(master.size() == model.size(), "as many new weights as old ones");
  std::vector<float> difference(master.size());
  for (std::size_t i = 0; i < master.size(); ++i) {
    // float32 has more than twice the digits of bfloat16 and two, so that rounding to one and then
    // to the other is rounding once (Figueroa, "When is double rounding innocuous?", 1995).
    difference[i] = to_float(to_bf16(to_float(to_bf16(master[i])) - to_float(model[i])));
  }
  encode_groups(format, difference, key, wire);
}

void decode_add(const Format& format, std::span<const std::byte> wire, std::span<Bf16> model) {
  std::vector<float> difference(model.size());
  decode_groups(format, wire, difference);
  for (std::size_t i = 0; i < model.size(); ++i) {
    model[i] = to_bf16(to_float(to_bf16(difference[i])) + to_float(model[i]));
  }
}

}  // namespace codecs
