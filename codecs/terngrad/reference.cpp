// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "codecs/group/group.hpp"
#include "codecs/group/steps.hpp"
#include "codecs/random/random.hpp"
#include "codecs/sums/sums.hpp"
#include "codecs/terngrad/terngrad.hpp"

namespace codecs {
namespace {

float sum(const Format& format, std::span<const float> group, Term term) {
  return format.group == kWholeTensor ? sum_tensor(group, term) : sum_group(group, term);
}

float clip_limit(const Format& format, std::span<const float> group) {
  const auto count = static_cast<float>(group.size());
  const float mean = sum(format, group, Term::value) / count;
  const float square = sum(format, group, Term::square) / count;
  const float variance = std::fma(-mean, mean, square);
  if (!std::isfinite(variance)) return std::numeric_limits<float>::infinity();
  return kClippedSigmas * std::sqrt(std::max(variance, 0.0f));
}

float largest_magnitude(std::span<const float> group) {
  float largest = 0;
  for (const float value : group) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

GroupCodes ternary(const Format& format, std::span<const float> group, const RandomKey& key,
                   std::uint64_t first) {
  GroupCodes result;
  result.codes = Eigen::ArrayXi::Zero(static_cast<Eigen::Index>(group.size()));
  const float amax = largest_magnitude(group);
  if (!std::isfinite(amax)) {
    result.scale.value = std::bit_cast<float>(kNaNScale);
    return result;
  }
  const float scale = std::min(amax, clip_limit(format, group));
  if (scale < kTinyGroup) return result;
  result.scale.value = scale;
  RandomBytes random(key);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const float v = std::clamp(group[i], -scale, scale) * (1.0f / scale);
    const int up = random(key.first_element + first + i);
    const int code = (static_cast<int>(std::rint(256.0f * v)) + up) >> 8;
    result.codes[static_cast<Eigen::Index>(i)] = code & 3;
  }
  return result;
}

}  // namespace

void require_ternary_format(const Format& format) {
  require(format.element == Element::int2 && format.scale == Scale::clipped &&
              format.rounding == Rounding::stochastic && format.rotation == Rotation::none,
          "ternary codes are INT2, clipped and rounded stochastically");
  require(format.group == kWholeTensor ||
              (std::has_single_bit(format.group) && format.group >= 16 && format.group <= 512),
          "a ternary group is a power of two from 16 to 512, or the tensor");
}

Format ternary_as_group(const Format& format) {
  require_ternary_format(format);
  return {.element = Element::int2, .scale = Scale::amax, .group = format.group};
}

void encode_ternary(const Format& format, std::span<const float> values, const RandomKey& key,
                    std::span<std::byte> wire) {
  const Format layout = ternary_as_group(format);
  require(wire.size() == encoded_bytes(format, values.size()), "a wire is encoded_bytes() long");
  std::ranges::fill(wire, std::byte{0});
  const std::size_t groups = group_wire(layout, values.size()).groups;
  for (std::size_t index = 0; index < groups; ++index) {
    const std::size_t first = index == 0 ? 0 : index * format.group;
    const auto group = values.subspan(first, std::min(format.group, values.size() - first));
    store_group(layout, values.size(), index, ternary(format, group, key, first), wire);
  }
}

void decode_ternary(const Format& format, std::span<const std::byte> wire,
                    std::span<float> values) {
  decode_groups(ternary_as_group(format), wire, values);
}

namespace {

constexpr Codec row(std::string_view name, std::string_view summary, std::size_t group) {
  return {.name = name,
          .summary = summary,
          .format = {.element = Element::int2,
                     .scale = Scale::clipped,
                     .group = group,
                     .rounding = Rounding::stochastic},
          .encode = encode_ternary,
          .decode = decode_ternary};
}

}  // namespace

constexpr Codec terngrad = row(
    "terngrad", "TernGrad: -s, 0 or s, with one s per tensor, clipped at 2.5 sigma", kWholeTensor);
constexpr Codec terngrad_g512 =
    row("terngrad_g512", "TernGrad: -s, 0 or s, with one s per 512 elements, clipped at 2.5 sigma",
        512);

}  // namespace codecs
