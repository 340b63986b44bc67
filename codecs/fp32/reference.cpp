// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/fp32/fp32.hpp"

namespace codecs {
namespace {

void encode_fp32(const Format& format, std::span<const float> values, const RandomKey&,
                 std::span<std::byte> wire) {
  require(wire.size() == encoded_bytes(format, values.size()), "fp32: 4 bytes a value");
  std::ranges::copy(std::as_bytes(values), wire.begin());
}

void decode_fp32(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  require(wire.size() == encoded_bytes(format, values.size()), "fp32: 4 bytes a value");
  std::ranges::copy(wire, std::as_writable_bytes(values).begin());
}

}  // namespace

constexpr Codec fp32{.name = "fp32",
                     .summary = "float32, unchanged",
                     .format = {.element = Element::fp32},
                     .encode = encode_fp32,
                     .decode = decode_fp32};

}  // namespace codecs
