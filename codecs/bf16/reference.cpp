// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>

#include "codecs/bf16/bf16.hpp"

namespace codecs {

Bf16 to_bf16(float value) {
  if (std::isnan(value)) return {kBf16NaN};
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // Half of the last place less one, plus one where the last place is odd: ties go to even.
  const std::uint32_t rounded = bits + 0x7FFFu + ((bits >> 16) & 1u);
  return {static_cast<std::uint16_t>(rounded >> 16)};
}

float to_float(Bf16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

namespace {

void encode_bf16(const Format& format, std::span<const float> values, const RandomKey&,
                 std::span<std::byte> wire) {
  require(wire.size() == encoded_bytes(format, values.size()), "bf16: 2 bytes a value");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Bf16 code = to_bf16(values[i]);
    std::memcpy(&wire[i * sizeof(Bf16)], &code, sizeof(Bf16));
  }
}

void decode_bf16(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  require(wire.size() == encoded_bytes(format, values.size()), "bf16: 2 bytes a value");
  for (std::size_t i = 0; i < values.size(); ++i) {
    Bf16 code;
    std::memcpy(&code, &wire[i * sizeof(Bf16)], sizeof(Bf16));
    values[i] = to_float(code);
  }
}

}  // namespace

constexpr Codec bf16{.name = "bf16",
                     .summary = "bfloat16, nearest even",
                     .format = {.element = Element::bf16},
                     .encode = encode_bf16,
                     .decode = decode_bf16};

}  // namespace codecs
