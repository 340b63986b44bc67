// SPDX-License-Identifier: Apache-2.0
// The error bounds that the codecs' headers document, for each value of a tensor, in double
// precision and from the headers' formulas alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "codecs/element/element.hpp"
#include "codecs/element/tables.hpp"
#include "codecs/group/steps.hpp"

namespace codecs {

inline double largest_magnitude(const Eigen::ArrayXf& values) { return values.abs().maxCoeff(); }

// Half the distance of the grid's values around y.
inline double half_distance(Element element, double y) {
  switch (element) {
    case Element::e4m3:
      return std::max(y * 0x1p-4, 0x1p-10);
    case Element::e5m2:
      return std::max(y * 0x1p-3, 0x1p-17);
    case Element::e2m1:
      return y < 2 ? 0.25 : y < 4 ? 0.5 : 1;
    default:
      return 0.5;
  }
}

// 2^k, where k is the exponent of `magnitude` over that of the grid's largest value.
inline double power_of_two_step(const Format& format, double magnitude) {
  const double largest = largest_value(format.element);
  if (magnitude == 0) return 0;
  if (format.scale == Scale::e8m0_ceil) return std::exp2(std::ceil(std::log2(magnitude / largest)));
  const int digits = format.element == Element::e4m3 ? 3 : format.element == Element::e5m2 ? 2 : 1;
  const double fraction = magnitude / std::exp2(std::ilogb(magnitude));
  const bool next = format.scale == Scale::e8m0_even && fraction >= 2 - std::exp2(-digits - 1);
  return std::exp2(std::ilogb(magnitude) + (next ? 1 : 0) - std::ilogb(largest));
}

inline double documented_step(const Format& format, const Eigen::ArrayXf& group, double amax,
                              double tensor) {
  const double largest = largest_value(format.element);
  switch (format.scale) {
    case Scale::amax:
      return amax / largest;
    case Scale::amax_full:
      return amax / (largest + 1);
    case Scale::min_max:
      return (group.maxCoeff() - group.minCoeff()) / (std::exp2(bits_of(format.element)) - 1);
    case Scale::reciprocal:
      return (amax + 1e-20) / (format.element == Element::e4m3 ? 240 : 57344);
    case Scale::norm:
      return group.cast<double>().matrix().norm() / largest;
    case Scale::e8m0_floor:
    case Scale::e8m0_ceil:
    case Scale::e8m0_even:
      return power_of_two_step(format, amax);
    case Scale::e4m3_tensor: {
      const double multiply = 2688 / tensor;
      const auto block = static_cast<float>(amax / 6 * multiply);
      return value_of(Element::e4m3, nearest_code(Element::e4m3, block)) / multiply;
    }
    default:
      throw std::invalid_argument("a scale whose bound is not written down here");
  }
}

inline double group_bound(const Format& format, double amax, double step, double value) {
  constexpr double kFloat = 1 + 1e-5;  // operations in float32
  if (format.element == Element::nf4) return 0.1520 * amax * kFloat;
  if (format.element == Element::dynamic8) return 0.00704 * amax * kFloat;
  const double unit = format.rounding == Rounding::stochastic ? 2 + 0x1p-7 : 1;
  if (format.scale == Scale::min_max) return unit * step / 2 * kFloat + amax * 0x1p-22;
  const double y = format.rotation == Rotation::none ? std::abs(value) / step : amax / step;
  const double beyond = std::abs(value) - largest_value(format.element) * step;
  return std::max(unit * half_distance(format.element, y) * step, beyond) * kFloat;
}

inline double element_bound(Element element, double value) {
  switch (element) {
    case Element::fp32:
      return 0;
    case Element::bf16:
      return std::abs(value) * 0x1p-8;
    case Element::fp16:
      return std::abs(value) >= 65520 ? std::numeric_limits<double>::infinity()
                                      : std::max(std::abs(value) * 0x1p-11, 0x1p-25);
    case Element::power_of_two:
      return std::abs(value);
    default:
      throw std::invalid_argument("an element whose bound is not written down here");
  }
}

inline std::vector<double> error_bounds(const Format& format, std::span<const float> values) {
  std::vector<double> bounds;
  if (format.scale == Scale::none) {
    for (const float value : values) bounds.push_back(element_bound(format.element, value));
    return bounds;
  }
  const std::size_t groups = group_wire(format, values.size()).groups;
  double tensor = 0;
  for (const float value : values) tensor = std::max<double>(tensor, std::abs(value));
  for (std::size_t index = 0; index < groups; ++index) {
    const Eigen::ArrayXf group = group_values(format, values, index);
    const double amax = largest_magnitude(group);
    if (format.element == Element::sign || format.scale == Scale::clipped) {
      const auto count = std::min<std::size_t>(format.group, values.size() - bounds.size());
      bounds.insert(bounds.end(), count, amax);
      continue;
    }
    const double step = documented_step(format, group, amax, tensor);
    for (Eigen::Index i = 0; i < group.size() && bounds.size() < values.size(); ++i) {
      bounds.push_back(group_bound(format, amax, step, values[bounds.size()]));
    }
  }
  return bounds;
}

}  // namespace codecs
