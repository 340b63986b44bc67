// SPDX-License-Identifier: Apache-2.0
// What a group's values are scaled by: the one place that knows the rules of Scale.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "codecs/element/element.hpp"
#include "codecs/group/steps.hpp"

namespace codecs {
namespace {

constexpr float kLargestFloat = std::numeric_limits<float>::max();
constexpr std::uint8_t kE8m0NaN = 255;
constexpr int kE8m0Bias = 127;
constexpr std::size_t kNormLane = 16;     // elements that are squared and added up in order
constexpr float kTensorLevels = 448 * 6;  // largest E4M3 scale times largest E2M1 code

float nan_scale() { return std::bit_cast<float>(kNaNScale); }

GroupGrid nonfinite(Scale scale) {
  GroupGrid grid{.scale = {.value = nan_scale(), .tensor = nan_scale()}};
  if (scale == Scale::min_max) grid.scale.minimum = nan_scale();
  if (scale != Scale::e4m3_tensor) grid.scale.byte = kE8m0NaN;
  return grid;
}

// Scale and reciprocal of a grid whose `largest` value stands for `magnitude`. A magnitude so small
// that one of them would lose digits is a group of zeros.
GroupGrid proportional(float magnitude, float largest, float factor) {
  const float multiply = largest / magnitude;
  if (magnitude < kTinyGroup || multiply > kLargestFloat) return {};
  return {.scale = {.value = magnitude / largest * factor}, .multiply = multiply};
}

// -0 below +0, so that equal values give equal bits in whatever order they are compared.
bool ordered_below(float a, float b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

GroupGrid from_minimum(const Quantiser& quantiser, const Eigen::ArrayXf& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end(), ordered_below);
  const float range = *high - *low;
  if (range > kLargestFloat) return nonfinite(Scale::min_max);
  const auto levels = static_cast<float>((1 << bits_of(quantiser.format.element)) - 1);
  GroupGrid grid = proportional(range, levels, quantiser.factor);
  grid.minimum = *low;
  grid.scale.minimum = *low * quantiser.factor;
  return grid;
}

// Squares of 16 elements are added in order, each by a fused multiply-add, then such sums by pairs,
// neighbours first, as a butterfly of lanes adds them; absent lanes are 0.
float euclidean_norm(const Eigen::ArrayXf& values) {
  const auto count = static_cast<std::size_t>(values.size());
  std::vector<float> lanes(std::bit_ceil((count + kNormLane - 1) / kNormLane));
  for (std::size_t i = 0; i < count; ++i) {
    const float x = values[static_cast<Eigen::Index>(i)];
    lanes[i / kNormLane] = std::fma(x, x, lanes[i / kNormLane]);
  }
  for (std::size_t left = lanes.size() / 2; left > 0; left /= 2) {
    for (std::size_t i = 0; i < left; ++i) lanes[i] = lanes[2 * i] + lanes[2 * i + 1];
  }
  return std::sqrt(lanes[0]);
}

const SmallFloat& small_float(Element element) {
  return element == Element::e4m3 ? kE4m3 : element == Element::e5m2 ? kE5m2 : kE2m1;
}

GroupGrid reciprocal_scale(const Quantiser& quantiser, float amax) {
  const Element element = quantiser.format.element;
  const float multiply = reciprocal_largest(element) / (kReciprocalEpsilon + amax);
  return {.scale = {.value = multiply / quantiser.factor},
          .multiply = multiply / reciprocal_unit(element)};
}

// The biased exponent of the group's unit.
int e8m0_byte(const Format& format, float amax) {
  const float largest = largest_value(format.element);
  if (format.scale == Scale::e8m0_ceil) {
    return static_cast<int>((std::bit_cast<std::uint32_t>(amax / largest) + 0x7FFFFFu) >> 23);
  }
  std::uint32_t bits = std::bit_cast<std::uint32_t>(amax);
  const SmallFloat& element = small_float(format.element);
  if (format.scale == Scale::e8m0_even) bits += 1u << (22 - element.mantissa_bits);
  return static_cast<int>(bits >> 23) - std::ilogb(largest);
}

GroupGrid power_of_two_scale(const Quantiser& quantiser, float amax) {
  if (amax == 0) return {};
  int exponent = 0;
  require(std::frexp(quantiser.factor, &exponent) == 0.5f,
          "E8M0 scales take factors that are powers of two");
  const int byte = std::clamp(e8m0_byte(quantiser.format, amax * quantiser.factor), 0, 254);
  return {.scale = {.byte = static_cast<std::uint8_t>(byte)},
          .multiply = std::ldexp(1.0f, kE8m0Bias - byte) * quantiser.factor};
}

// Of the tensor: what brings its largest magnitude to the largest product of both scales.
float tensor_multiply(float amax) {
  return amax == 0 ? 1.0f : std::min(kTensorLevels / amax, kLargestFloat);
}

GroupGrid under_tensor_scale(const Quantiser& quantiser, float amax) {
  require(quantiser.tensor_magnitude.has_value(), "the scale needs the tensor's magnitude");
  const std::uint32_t tensor_bits = *quantiser.tensor_magnitude;
  if (tensor_bits >= kInfinityBits) return nonfinite(Scale::e4m3_tensor);
  const float tensor = tensor_multiply(std::bit_cast<float>(tensor_bits));
  const std::uint32_t byte =
      nearest_code(Element::e4m3, amax / largest_value(Element::e2m1) * tensor);
  const float block = value_of(Element::e4m3, byte);
  const float multiply = block == 0 ? 0.0f : tensor / block;
  return {.scale = {.byte = static_cast<std::uint8_t>(byte),
                    .tensor = 1.0f / tensor * quantiser.factor},
          .multiply = multiply > kLargestFloat ? 0.0f : multiply};
}

}  // namespace

std::uint32_t largest_magnitude_bits(const Eigen::ArrayXf& values) {
  std::uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, magnitude_bits(value));
  }
  return largest;
}

std::uint32_t tensor_magnitude_bits(const Format& format, std::span<const float> values) {
  std::uint32_t largest = 0;
  for (std::size_t index = 0; index < group_wire(format, values.size()).groups; ++index) {
    largest = std::max(largest, largest_magnitude_bits(group_values(format, values, index)));
  }
  return largest;
}

GroupGrid group_grid(const Quantiser& quantiser, const Eigen::ArrayXf& values) {
  const Format& format = quantiser.format;
  const std::uint32_t bits = largest_magnitude_bits(values);
  const auto amax = std::bit_cast<float>(bits);
  if (format.scale == Scale::e4m3_tensor) return under_tensor_scale(quantiser, amax);
  if (bits >= kInfinityBits) return nonfinite(format.scale);
  const float largest = largest_value(format.element);
  switch (format.scale) {
    case Scale::amax:
      return proportional(amax, largest, quantiser.factor);
    case Scale::amax_full:
      return proportional(amax, largest + 1, quantiser.factor);
    case Scale::min_max:
      return from_minimum(quantiser, values);
    case Scale::norm: {
      const float norm = euclidean_norm(values);
      return norm > kLargestFloat ? nonfinite(format.scale)
                                  : proportional(norm, largest, quantiser.factor);
    }
    case Scale::reciprocal:
      return reciprocal_scale(quantiser, amax);
    case Scale::e8m0_floor:
    case Scale::e8m0_ceil:
    case Scale::e8m0_even:
      return power_of_two_scale(quantiser, amax);
    default:
      throw std::invalid_argument("a scale that group codecs do not have");
  }
}

float step_of(const Format& format, const GroupScale& scale) {
  switch (format.scale) {
    case Scale::e8m0_floor:
    case Scale::e8m0_ceil:
    case Scale::e8m0_even:
      return scale.byte == kE8m0NaN ? nan_scale() : std::ldexp(1.0f, scale.byte - kE8m0Bias);
    case Scale::e4m3_tensor:
      return value_of(Element::e4m3, scale.byte) * scale.tensor;
    case Scale::reciprocal:
      return reciprocal_unit(format.element) / scale.value;
    default:
      return scale.value;
  }
}

}  // namespace codecs
