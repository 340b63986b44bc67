// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "codecs/group/group.hpp"
#include "codecs/sign/sign.hpp"
#include "codecs/sums/sums.hpp"

namespace codecs {
namespace {

void require_sign_wire(const Format& format, std::size_t elements, std::size_t bytes) {
  require_sign_format(format);
  require(bytes == encoded_bytes(format, elements), "a wire is encoded_bytes() long");
}

std::span<const float> group_of(const Format& format, std::span<const float> values,
                                std::size_t index) {
  const std::size_t first = index * format.group;
  return values.subspan(first, std::min(format.group, values.size() - first));
}

float magnitude_of(const Format& format, std::span<const float> group) {
  const bool squares = format.scale == Scale::root_mean_square;
  const Term term = squares ? Term::square : Term::magnitude;
  const float sum = format.group == kWholeTensor ? sum_tensor(group, term) : sum_group(group, term);
  const float mean = sum / static_cast<float>(group.size());
  const float scale = squares ? std::sqrt(mean) : mean;
  return std::isfinite(scale) ? scale : std::bit_cast<float>(kNaNScale);
}

}  // namespace

void require_sign_format(const Format& format) {
  require(format.element == Element::sign, "signs have 1 bit");
  require(format.scale == Scale::mean_magnitude || format.scale == Scale::root_mean_square,
          "the scale of signs is a mean");
  require(format.group == kWholeTensor ||
              (std::has_single_bit(format.group) && format.group >= 128 && format.group <= 8192),
          "a group of signs is a power of two from 128 to 8192, or the tensor");
  require(format.rotation == Rotation::none, "signs are not of a transform");
}

void encode_signs(const Format& format, std::span<const float> values, const RandomKey& /*key*/,
                  std::span<std::byte> wire) {
  require_sign_wire(format, values.size(), wire.size());
  std::ranges::fill(wire, std::byte{0});
  const GroupWire layout = group_wire(format, values.size());
  for (std::size_t index = 0; index < layout.groups; ++index) {
    const std::span<const float> group = group_of(format, values, index);
    const float scale = magnitude_of(format, group);
    std::memcpy(&wire[layout.payload_bytes + index * sizeof scale], &scale, sizeof scale);
    if (std::isnan(scale)) continue;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t bit = index * format.group + i;
      if (group[i] < 0) wire[bit / 8] |= std::byte{1} << (bit % 8);
    }
  }
}

void decode_reduce_signs(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums) {
  require_sign_wire(format, sums.size(), inputs == 0 ? 0 : wires.size() / inputs);
  const GroupWire layout = group_wire(format, sums.size());
  std::ranges::fill(sums, 0.0f);
  for (std::size_t input = 0; input < inputs; ++input) {
    const std::span<const std::byte> wire = wires.subspan(input * layout.bytes, layout.bytes);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      float scale = 0;
      std::memcpy(&scale, &wire[layout.payload_bytes + i / format.group * sizeof scale],
                  sizeof scale);
      const bool negative = std::to_integer<int>(wire[i / 8] >> (i % 8) & std::byte{1}) != 0;
      sums[i] += negative ? -scale : scale;
    }
  }
}

void decode_signs(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  decode_reduce_signs(format, wire, 1, values);
}

namespace {

constexpr Codec row(std::string_view name, std::string_view summary, Scale scale,
                    std::size_t group) {
  return {.name = name,
          .summary = summary,
          .format = {.element = Element::sign, .scale = scale, .group = group},
          .encode = encode_signs,
          .decode = decode_signs};
}

}  // namespace

constexpr Codec sign_g2048 =
    row("sign_g2048", "signs and the mean magnitude of 2048 elements, for error feedback",
        Scale::mean_magnitude, 2048);
constexpr Codec sign_tensor =
    row("sign_tensor", "signs and the mean magnitude of the tensor, for error feedback",
        Scale::mean_magnitude, kWholeTensor);
constexpr Codec one_bit = row("one_bit", "1-bit Adam: signs and the root mean square of the tensor",
                              Scale::root_mean_square, kWholeTensor);

}  // namespace codecs
