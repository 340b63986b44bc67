// SPDX-License-Identifier: Apache-2.0
// Which codecs have kernels here: those of the layouts and formats that the functions take.
#include <vector>

#include "codecs/bf16/bf16.hpp"
#include "codecs/cpu/codecs.hpp"
#include "codecs/sign/sign.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs::cpu {
namespace {

std::vector<CpuCodec> find_codecs() {
  std::vector<CpuCodec> rows;
  for (const Codec* codec : all_codecs()) {
    if (codec == &bf16) {
      rows.push_back({.codec = codec,
                      .encode = encode_bf16,
                      .encode_feedback = encode_bf16_feedback,
                      .decode = decode_bf16,
                      .decode_add = decode_add_bf16});
    } else if (codec->encode == codecs::encode_groups && has_group_kernels(codec->format)) {
      rows.push_back({.codec = codec,
                      .encode = encode_groups,
                      .encode_feedback = encode_groups_feedback,
                      .decode = decode_groups,
                      .decode_add = decode_add_groups,
                      .decode_reduce = decode_reduce_groups});
    } else if (codec->encode == codecs::encode_top_k && has_top_k_kernels(codec->format)) {
      rows.push_back({.codec = codec,
                      .encode = encode_top_k,
                      .encode_feedback = encode_top_k_feedback,
                      .decode = decode_top_k,
                      .decode_add = decode_add_top_k,
                      .decode_reduce = decode_reduce_top_k});
    } else if (codec->encode == codecs::encode_signs) {
      rows.push_back({.codec = codec,
                      .encode = encode_signs,
                      .encode_feedback = encode_signs_feedback,
                      .decode = decode_signs,
                      .decode_add = decode_add_signs,
                      .decode_reduce = decode_reduce_signs});
    }
  }
  return rows;
}

}  // namespace

std::span<const CpuCodec> all_cpu_codecs() {
  static const std::vector<CpuCodec> kRows = find_codecs();
  return kRows;
}

}  // namespace codecs::cpu
