// SPDX-License-Identifier: Apache-2.0
#include "codecs/magnitude.hpp"

#include <algorithm>
#include <cmath>

#include "codecs/codec.hpp"

namespace codecs {
namespace {

constexpr float kLargest = 0x1p126f;
constexpr float kLargestHalf = 65504;

// Values that ranks draw alike, without bias, are scaled up.
bool is_drawn(const Format& format) {
  return format.keep > 0 && format.layout->summable && format.rounding != Rounding::nearest;
}

}  // namespace

float largest_magnitude(const Format& format, std::size_t elements) {
  // There and back, each value may become the sum of a block.
  if (format.rotation != Rotation::none) {
    return kLargest / static_cast<float>(format.block * format.block);
  }
  if (is_drawn(format)) return kLargest / static_cast<float>(format.group / format.keep);
  const auto summed = static_cast<float>(std::clamp<std::size_t>(elements, 1, format.group));
  switch (format.scale) {
    case Scale::none:
      return format.element == Element::fp16 ? kLargestHalf : kLargest;
    case Scale::norm:
    case Scale::root_mean_square:
      return std::sqrt(kLargest / summed);
    case Scale::mean_magnitude:
      return kLargest / summed;
    default:
      return kLargest;
  }
}

}  // namespace codecs
