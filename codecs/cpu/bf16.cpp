// SPDX-License-Identifier: Apache-2.0
#include "codecs/cpu/codecs.hpp"
#include "codecs/cpu/threads.hpp"

namespace codecs::cpu {
namespace {

constexpr std::size_t kCodeBytes = 2;

void require_bf16(const Format& format, std::size_t elements, std::size_t bytes) {
  require(bytes == encoded_bytes(format, elements), "bf16: 2 bytes a value");
}

}  // namespace

void encode_bf16(const Format& format, std::span<const float> values, const RandomKey& /*key*/,
                 std::span<std::byte> wire, const Run& run) {
  require_bf16(format, values.size(), wire.size());
  in_parts(run.threads, values.size(), [&](std::size_t first, std::size_t last) {
    kernels_of(run).to_bf16(values.data() + first, last - first, wire.data() + kCodeBytes * first);
  });
}

void encode_bf16_feedback(const Format& format, const Feedback& feedback,
                          std::span<const float> values, const RandomKey& /*key*/,
                          std::span<float> residual, std::span<std::byte> wire, const Run& run) {
  require_bf16(format, values.size(), wire.size());
  const Input input = input_of(feedback, values, residual);
  in_parts(run.threads, values.size(), [&](std::size_t first, std::size_t last) {
    kernels_of(run).to_bf16_feedback(input, first, last - first, wire.data());
  });
}

void decode_bf16(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                 const Run& run) {
  require_bf16(format, values.size(), wire.size());
  in_parts(run.threads, values.size(), [&](std::size_t first, std::size_t last) {
    kernels_of(run).from_bf16(wire.data() + kCodeBytes * first, last - first,
                              values.data() + first);
  });
}

void decode_add_bf16(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                     const Run& run) {
  require_bf16(format, values.size(), wire.size());
  in_parts(run.threads, values.size(), [&](std::size_t first, std::size_t last) {
    kernels_of(run).add_bf16(wire.data() + kCodeBytes * first, last - first, values.data() + first);
  });
}

}  // namespace codecs::cpu
