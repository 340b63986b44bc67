// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "codecs/element/element.hpp"
#include "codecs/random/random.hpp"

namespace codecs {

void encode_elements(const Format& format, std::span<const float> values, const RandomKey& key,
                     std::span<std::byte> wire) {
  require(wire.size() == encoded_bytes(format, values.size()), "a wire is encoded_bytes() long");
  const auto bytes = static_cast<std::size_t>(bits_of(format.element) / 8);
  RandomBytes random(key);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t code =
        format.rounding == Rounding::stochastic
            ? stochastic_code(format.element, values[i], random(key.first_element + i))
            : nearest_code(format.element, values[i]);
    std::memcpy(&wire[i * bytes], &code, bytes);  // little-endian
  }
}

void decode_elements(const Format& format, std::span<const std::byte> wire,
                     std::span<float> values) {
  require(wire.size() == encoded_bytes(format, values.size()), "a wire is encoded_bytes() long");
  const auto bytes = static_cast<std::size_t>(bits_of(format.element) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t code = 0;
    std::memcpy(&code, &wire[i * bytes], bytes);
    values[i] = value_of(format.element, code);
  }
}

constexpr Codec fp16{.name = "fp16",
                     .summary = "IEEE half precision, nearest even",
                     .format = {.element = Element::fp16},
                     .encode = encode_elements,
                     .decode = decode_elements};
constexpr Codec natural{
    .name = "natural",
    .summary = "Natural compression: sign and exponent in 8 bits, stochastic",
    .format = {.element = Element::power_of_two, .rounding = Rounding::stochastic},
    .encode = encode_elements,
    .decode = decode_elements};

}  // namespace codecs
