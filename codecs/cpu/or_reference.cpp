// SPDX-License-Identifier: Apache-2.0
#include "codecs/cpu/or_reference.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace codecs::cpu {

std::span<const CpuCodec> all_codecs_or_references() {
  static const std::vector<CpuCodec> kRows = [] {
    std::vector<CpuCodec> rows;
    for (const Codec* codec : all_codecs()) {
      const auto with_kernels = all_cpu_codecs();
      const auto row = std::ranges::find(with_kernels, codec, &CpuCodec::codec);
      rows.push_back(row == with_kernels.end() ? CpuCodec{.codec = codec} : *row);
    }
    return rows;
  }();
  return kRows;
}

void encode(const CpuCodec& row, std::span<const float> values, const RandomKey& key,
            std::span<std::byte> wire, const Run& run) {
  const Codec& codec = *row.codec;
  if (row.encode == nullptr) return codec.encode(codec.format, values, key, wire);
  row.encode(codec.format, values, key, wire, run);
}

void encode_feedback(const CpuCodec& row, const Feedback& feedback, std::span<const float> values,
                     const RandomKey& key, std::span<float> residual, std::span<std::byte> wire,
                     const Run& run) {
  if (row.encode_feedback == nullptr) {
    return encode_with_feedback(*row.codec, feedback, values, key, residual, wire);
  }
  row.encode_feedback(row.codec->format, feedback, values, key, residual, wire, run);
}

void decode(const CpuCodec& row, std::span<const std::byte> wire, std::span<float> values,
            const Run& run) {
  const Codec& codec = *row.codec;
  if (row.decode == nullptr) return codec.decode(codec.format, wire, values);
  row.decode(codec.format, wire, values, run);
}

void decode_add(const CpuCodec& row, std::span<const std::byte> wire, std::span<float> values,
                const Run& run) {
  if (row.decode_add != nullptr) return row.decode_add(row.codec->format, wire, values, run);
  std::vector<float> decoded(values.size());
  row.codec->decode(row.codec->format, wire, decoded);
  std::ranges::transform(values, decoded, values.begin(), std::plus());
}

}  // namespace codecs::cpu
