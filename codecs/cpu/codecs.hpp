// SPDX-License-Identifier: Apache-2.0
// The functions of the rows of codecs/cpu/registry.cpp, and what they share.
#pragma once

#include "codecs/codec.hpp"
#include "codecs/cpu/cpu.hpp"

namespace codecs::cpu {

[[nodiscard]] inline const Kernels& kernels_of(const Run& run) {
  return run.target == nullptr ? *targets().front().kernels : *run.target->kernels;
}

[[nodiscard]] inline Input input_of(std::span<const float> values) {
  return {.values = values.data(), .elements = values.size()};
}
[[nodiscard]] inline Input input_of(const Feedback& feedback, std::span<const float> values,
                                    std::span<float> residual) {
  require(values.size() == residual.size(), "as many residuals as values");
  return {.values = values.data(),
          .elements = values.size(),
          .feedback = &feedback,
          .residual = residual.data()};
}

// As many wires as inputs, however many those are.
inline void require_wires(const Format& format, std::span<const std::byte> wires,
                          std::size_t inputs, std::size_t elements) {
  require(inputs > 0 && wires.size() % inputs == 0 &&
              wires.size() / inputs == encoded_bytes(format, elements),
          "a wire is encoded_bytes() long");
}
// Of wires of groups.
[[nodiscard]] inline GroupSum group_sum(const Format& format, std::span<const std::byte> wires,
                                        std::size_t inputs, std::span<float> sums) {
  require_wires(format, wires, inputs, sums.size());
  return {.format = format,
          .layout = group_wire(format, sums.size()),
          .wires = wires.data(),
          .inputs = inputs,
          .sums = sums.data(),
          .elements = sums.size()};
}

void encode_bf16(const Format& format, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> wire, const Run& run);
void encode_bf16_feedback(const Format& format, const Feedback& feedback,
                          std::span<const float> values, const RandomKey& key,
                          std::span<float> residual, std::span<std::byte> wire, const Run& run);
void decode_bf16(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                 const Run& run);
void decode_add_bf16(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                     const Run& run);

void encode_groups(const Format& format, std::span<const float> values, const RandomKey& key,
                   std::span<std::byte> wire, const Run& run);
void encode_groups_feedback(const Format& format, const Feedback& feedback,
                            std::span<const float> values, const RandomKey& key,
                            std::span<float> residual, std::span<std::byte> wire, const Run& run);
void decode_groups(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                   const Run& run);
void decode_add_groups(const Format& format, std::span<const std::byte> wire,
                       std::span<float> values, const Run& run);
void decode_reduce_groups(const Format& format, std::span<const std::byte> wires,
                          std::size_t inputs, std::span<float> sums, const Run& run);

void encode_top_k(const Format& format, std::span<const float> values, const RandomKey& key,
                  std::span<std::byte> wire, const Run& run);
void encode_top_k_feedback(const Format& format, const Feedback& feedback,
                           std::span<const float> values, const RandomKey& key,
                           std::span<float> residual, std::span<std::byte> wire, const Run& run);
void decode_top_k(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                  const Run& run);
void decode_add_top_k(const Format& format, std::span<const std::byte> wire,
                      std::span<float> values, const Run& run);
void decode_reduce_top_k(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums, const Run& run);

void encode_signs(const Format& format, std::span<const float> values, const RandomKey& key,
                  std::span<std::byte> wire, const Run& run);
void encode_signs_feedback(const Format& format, const Feedback& feedback,
                           std::span<const float> values, const RandomKey& key,
                           std::span<float> residual, std::span<std::byte> wire, const Run& run);
void decode_signs(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                  const Run& run);
void decode_add_signs(const Format& format, std::span<const std::byte> wire,
                      std::span<float> values, const Run& run);
void decode_reduce_signs(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums, const Run& run);

}  // namespace codecs::cpu
