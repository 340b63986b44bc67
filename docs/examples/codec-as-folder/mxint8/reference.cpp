// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "docs/examples/codec-as-folder/mxint8/mxint8.hpp"

namespace codecs {
namespace {

constexpr std::size_t kGroup = 32;
constexpr std::size_t kAlignment = 16;
constexpr std::uint8_t kNotFinite = 255;
constexpr int kScaleBias = 133;  // float32's bias of 127 plus the 6 binary places of a code

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t bytes(const Format&, std::size_t elements) {
  return aligned(elements) + aligned((elements + kGroup - 1) / kGroup);
}

double bytes_per_element(const Format&) { return 1 + 1.0 / kGroup; }

constexpr Layout kLayout{.bytes = bytes, .bytes_per_element = bytes_per_element};

// The biased exponent of the group's largest magnitude: 255 for infinities and NaNs.
std::uint8_t scale_byte(std::span<const float> group) {
  std::uint32_t largest = 0;
  for (const float value : group) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(std::abs(value)));
  }
  return static_cast<std::uint8_t>(largest >> 23);
}

// ldexp applies the scale: for small bytes, 2^(byte - 133) itself is below the normal numbers.
std::int8_t code_of(float value, std::uint8_t byte) {
  if (byte == 0 || byte == kNotFinite) return 0;
  const float scaled = std::nearbyint(std::ldexp(value, kScaleBias - byte));  // ties to even
  return static_cast<std::int8_t>(std::clamp(scaled, -127.0f, 127.0f));
}

float value_of(std::int8_t code, std::uint8_t byte) {
  if (byte == kNotFinite) return std::numeric_limits<float>::quiet_NaN();
  return byte == 0 ? 0.0f : std::ldexp(static_cast<float>(code), byte - kScaleBias);
}

void encode(const Format& format, std::span<const float> values, const RandomKey&,
            std::span<std::byte> wire) {
  require(wire.size() == encoded_bytes(format, values.size()), "mxint8: codes and scales");
  std::ranges::fill(wire, std::byte{0});
  const std::size_t scales = aligned(values.size());
  for (std::size_t first = 0; first < values.size(); first += kGroup) {
    const auto group = values.subspan(first, std::min(kGroup, values.size() - first));
    const std::uint8_t byte = scale_byte(group);
    wire[scales + first / kGroup] = std::byte{byte};
    for (std::size_t i = 0; i < group.size(); ++i) {
      wire[first + i] = static_cast<std::byte>(code_of(group[i], byte));
    }
  }
}

void decode(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  require(wire.size() == encoded_bytes(format, values.size()), "mxint8: codes and scales");
  const std::size_t scales = aligned(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = value_of(static_cast<std::int8_t>(wire[i]),
                         std::to_integer<std::uint8_t>(wire[scales + i / kGroup]));
  }
}

}  // namespace

constexpr Codec mxint8{.name = "mxint8",
                       .summary = "MXINT8, powers of two rounded down, nearest",
                       .format = {.element = Element::int8,
                                  .scale = Scale::e8m0_floor,
                                  .group = kGroup,
                                  .layout = &kLayout},
                       .encode = encode,
                       .decode = decode};

}  // namespace codecs
