#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"
#include "codecs/demo/demo.hpp"
#include "codecs/fp32/fp32.hpp"
#include "codecs/group/group.hpp"
#include "codecs/random_k/random_k.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {

std::span<const Codec* const> all_codecs() {
  static constexpr std::array codecs{&fp32,
                                     &bf16,
                                     &int8_g128,
                                     &int8_g128_sr,
                                     &int8_g128_hadamard_sr,
                                     &int4_g128,
                                     &int4_g128_sr,
                                     &int4_g128_hadamard_sr,
                                     &int4_g2048,
                                     &int4_g2048_sr,
                                     &sparseloco,
                                     &topk64_sign_magnitude,
                                     &topk64_sign,
                                     &topk64,
                                     &random_k64,
                                     &random_k64_unscaled,
                                     &demo_top32};
  return codecs;
}

const Codec& codec_named(std::string_view name) {
  const auto found = std::ranges::find(all_codecs(), name, &Codec::name);
  if (found != all_codecs().end()) return **found;
  std::string known;
  for (const Codec* codec : all_codecs()) {
    known += known.empty() ? "" : ", ";
    known += codec->name;
  }
  throw std::out_of_range("unknown codec '" + std::string(name) + "'; known: " + known);
}

}  // namespace codecs
