// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"
#include "codecs/demo/demo.hpp"
#include "codecs/eden/eden.hpp"
#include "codecs/element/element.hpp"
#include "codecs/fp32/fp32.hpp"
#include "codecs/group/group.hpp"
#include "codecs/random_k/random_k.hpp"
#include "codecs/rotation/rotation.hpp"
#include "codecs/sign/sign.hpp"
#include "codecs/terngrad/terngrad.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {

std::span<const Codec* const> all_codecs() {
  static constexpr std::array codecs{&fp32,
                                     &bf16,
                                     &fp16,
                                     &fp8_e4m3,
                                     &fp8_e5m2,
                                     &fp8_e4m3_g128,
                                     &fp8_e5m2_g128,
                                     &mxfp8,
                                     &mxfp8_floor,
                                     &mxfp8_e5m2,
                                     &mxfp4,
                                     &mxfp4_sr,
                                     &mxfp4_ceil,
                                     &mxfp4_floor,
                                     &nvfp4,
                                     &nvfp4_sr,
                                     &int8_g128,
                                     &int8_g128_sr,
                                     &int8_g128_hadamard_sr,
                                     &int8_g512,
                                     &int8_g512_sr,
                                     &int8_g2048,
                                     &int8_g2048_sr,
                                     &int4_g32,
                                     &int4_g32_sr,
                                     &int4_g64,
                                     &int4_g64_sr,
                                     &int4_g128,
                                     &int4_g128_sr,
                                     &int4_g128_hadamard,
                                     &int4_g128_hadamard_sr,
                                     &int4_g256,
                                     &int4_g256_sr,
                                     &int4_g512,
                                     &int4_g512_sr,
                                     &int4_g1024,
                                     &int4_g1024_sr,
                                     &int4_g2048,
                                     &int4_g2048_sr,
                                     &int2_g32_sr,
                                     &int2_g128_sr,
                                     &int8_full_g2048,
                                     &int4_full_g128,
                                     &int4_full_g2048,
                                     &int8_minmax_g1024,
                                     &int8_minmax_g1024_sr,
                                     &int4_minmax_g512,
                                     &int4_minmax_g512_sr,
                                     &fbgemm_e4m3_g32,
                                     &fbgemm_e5m2_g32,
                                     &fbgemm_int8_g32,
                                     &nf4_g64,
                                     &nf4_g128,
                                     &bnb8_g4096,
                                     &qsgd_int8_g512,
                                     &qsgd_int4_g512,
                                     &natural,
                                     &int4_g128_rht128_sr,
                                     &int4_g128_rht4096,
                                     &nvfp4_rht16,
                                     &nvfp4_rht16_sr,
                                     &eden1_g4096,
                                     &eden2_g4096,
                                     &eden3_g4096,
                                     &eden4_g4096,
                                     &sign_g2048,
                                     &sign_tensor,
                                     &one_bit,
                                     &terngrad,
                                     &terngrad_g512,
                                     &sparseloco,
                                     &sparseloco_enumerated,
                                     &codebook2,
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
