// SPDX-License-Identifier: Apache-2.0
#include "codecs/element/element.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "codecs/element/tables.hpp"

namespace codecs {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000u;

// Of exponents of normal floats.
float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

std::uint32_t low_bits(Element element, int code) {
  return static_cast<std::uint32_t>(code) & ((1u << bits_of(element)) - 1);
}

int largest_integer(Element element) { return (1 << (bits_of(element) - 1)) - 1; }

std::uint32_t integer_code(Element element, int rounded) {
  const int largest = largest_integer(element);
  return low_bits(element, std::clamp(rounded, -largest, largest));
}

int integer_value(Element element, std::uint32_t code) {
  const int sign = 1 << (bits_of(element) - 1);
  return (static_cast<int>(code) ^ sign) - sign;
}

std::uint32_t fp8_code(const SmallFloat& format, float value) {
  return std::isnan(value) ? kFp8NaN : small_float_code(format, value);
}

float fp8_value(const SmallFloat& format, std::uint32_t code) {
  const std::uint32_t magnitude = code & 0x7Fu;
  if (magnitude <= format.largest) return small_float_value(format, code);
  const bool infinite =
      magnitude == format.largest + 1 && format.mantissa_bits == kE5m2.mantissa_bits;
  const float special =
      infinite ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return std::copysign(special, (code & 0x80u) != 0 ? -1.0f : 1.0f);
}

std::uint32_t fp16_code(float value) {
  if (std::isnan(value)) return kFp16NaN;
  const std::uint32_t code = small_float_code(kFp16, value);
  return std::abs(value) >= 65520.0f ? code + 1 : code;  // halfway to the next: infinity
}

float fp16_value(std::uint32_t code) {
  const std::uint32_t magnitude = code & 0x7FFFu;
  if (magnitude <= kFp16.largest) return small_float_value(kFp16, code);
  const float special = magnitude == kFp16.largest + 1 ? std::numeric_limits<float>::infinity()
                                                       : std::numeric_limits<float>::quiet_NaN();
  return std::copysign(special, (code & 0x8000u) != 0 ? -1.0f : 1.0f);
}

// Between 2^k and 2^(k+1), where the grid has one value for each k, `up` is added to the mantissa:
// what carries goes to the exponent.
std::uint32_t power_of_two_code(float value, std::uint32_t up) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 31 << 7;
  if (!std::isfinite(value)) return sign | kPowerOfTwoNaN;
  const auto exponent = static_cast<int>(((bits & ~kSignBit) + up) >> 23);  // biased by 127
  const int code = exponent - 127 + kPowerOfTwoBias;
  return sign | static_cast<std::uint32_t>(std::clamp(code, 0, 126));
}

float power_of_two_value(std::uint32_t code) {
  const std::uint32_t k = code & 0x7Fu;
  const std::uint32_t sign = code >> 7 << 31;
  if (k == kPowerOfTwoNaN) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(k == 0 ? sign : sign | (k + 127 - kPowerOfTwoBias) << 23);
}

// Halves of the mantissa's range go up, ties to the even code.
std::uint32_t nearest_power_of_two(float value) {
  const std::uint32_t odd = std::bit_cast<std::uint32_t>(value) >> 23 & 1u;
  // An even biased exponent is an even code plus 18: of the same parity.
  return power_of_two_code(value, 0x3FFFFFu + odd);
}

// How many midpoints are below the value, by bisection of 2^k - 1 of them.
std::uint32_t table_code(std::span<const float> between, float scaled) {
  std::size_t code = 0;
  for (std::size_t half = (between.size() + 1) / 2; half > 0; half /= 2) {
    code += half * static_cast<std::size_t>(between[code + half - 1] < scaled);
  }
  return static_cast<std::uint32_t>(code);
}

// Codes of E2M1 are evenly spaced within three pieces: steps of 1/2 below 2, of 1 below 4, of 2.
std::uint32_t stochastic_e2m1(float scaled, std::uint8_t random) {
  const float y = std::abs(scaled);
  const float per_unit = y < 2 ? 2.0f : y < 4 ? 1.0f : 0.5f;
  const int first = y < 2 ? 0 : y < 4 ? 2 : 4;
  const int index = std::min(stochastic_integer(y * per_unit, random) + first, 7);
  return static_cast<std::uint32_t>(index) | (std::signbit(scaled) ? 8u : 0u);
}

}  // namespace

std::uint32_t small_float_code(const SmallFloat& format, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 31 << (format.bits - 1);
  const std::uint32_t magnitude = bits & ~kSignBit;
  const int lost = 23 - format.mantissa_bits;
  const auto smallest_normal = static_cast<std::uint32_t>(128 - format.bias) << 23;
  if (magnitude < smallest_normal) {
    // Subnormals are multiples of 2^(1 - bias - mantissa); the scaling is exact.
    const float multiple = std::abs(value) * power_of_two(format.bias - 1 + format.mantissa_bits);
    return sign | static_cast<std::uint32_t>(std::rint(multiple));
  }
  const std::uint32_t rounded = magnitude + (1u << (lost - 1)) - 1 + (magnitude >> lost & 1u);
  const std::uint32_t rebiased =
      (rounded >> lost) - (static_cast<std::uint32_t>(127 - format.bias) << format.mantissa_bits);
  return sign | std::min(rebiased, format.largest);
}

float small_float_value(const SmallFloat& format, std::uint32_t code) {
  const std::uint32_t sign = code >> (format.bits - 1) << 31;
  const std::uint32_t magnitude = code & ((1u << (format.bits - 1)) - 1);
  if (magnitude >> format.mantissa_bits == 0) {
    const float value =
        static_cast<float>(magnitude) * power_of_two(1 - format.bias - format.mantissa_bits);
    return sign != 0 ? -value : value;
  }
  const std::uint32_t rebiased =
      magnitude + (static_cast<std::uint32_t>(127 - format.bias) << format.mantissa_bits);
  return std::bit_cast<float>(sign | rebiased << (23 - format.mantissa_bits));
}

int stochastic_integer(float scaled, std::uint8_t random) {
  return (static_cast<int>(std::rint(scaled * 256.0f)) + random) >> 8;
}

float largest_value(Element element) {
  switch (element) {
    case Element::int8:
    case Element::int4:
    case Element::int2:
      return static_cast<float>(largest_integer(element));
    case Element::fp16:
      return small_float_value(kFp16, kFp16.largest);
    case Element::e4m3:
      return small_float_value(kE4m3, kE4m3.largest);
    case Element::e5m2:
      return small_float_value(kE5m2, kE5m2.largest);
    case Element::e2m1:
      return small_float_value(kE2m1, kE2m1.largest);
    case Element::nf4:
    case Element::dynamic8:
      return 1;
    case Element::power_of_two:
      return power_of_two_value(kPowerOfTwoNaN - 1);
    default:
      throw std::invalid_argument("the element has no scalar grid");
  }
}

std::uint32_t nearest_code(Element element, float scaled) {
  switch (element) {
    case Element::int8:
    case Element::int4:
    case Element::int2:
      return integer_code(element, static_cast<int>(std::rint(scaled)));
    case Element::fp16:
      return fp16_code(scaled);
    case Element::e4m3:
      return fp8_code(kE4m3, scaled);
    case Element::e5m2:
      return fp8_code(kE5m2, scaled);
    case Element::e2m1:
      return small_float_code(kE2m1, scaled);
    case Element::nf4:
      return table_code(kNf4Midpoints, scaled);
    case Element::dynamic8:
      return table_code(kDynamic8Midpoints, scaled);
    case Element::power_of_two:
      return nearest_power_of_two(scaled);
    default:
      throw std::invalid_argument("the element has no scalar grid");
  }
}

std::uint32_t stochastic_code(Element element, float scaled, std::uint8_t random) {
  switch (element) {
    case Element::int8:
    case Element::int4:
    case Element::int2:
      return integer_code(element, stochastic_integer(scaled, random));
    case Element::e2m1:
      return stochastic_e2m1(scaled, random);
    case Element::power_of_two:
      // The mantissa rounded to 8 bits, plus the byte.
      return power_of_two_code(scaled, (std::uint32_t{random} << 15) + 0x4000u);
    default:
      throw std::invalid_argument("the element is not rounded stochastically");
  }
}

float value_of(Element element, std::uint32_t code) {
  switch (element) {
    case Element::int8:
    case Element::int4:
    case Element::int2:
      return static_cast<float>(integer_value(element, code));
    case Element::fp16:
      return fp16_value(code);
    case Element::e4m3:
      return fp8_value(kE4m3, code);
    case Element::e5m2:
      return fp8_value(kE5m2, code);
    case Element::e2m1:
      return small_float_value(kE2m1, code);
    case Element::nf4:
      return kNf4Values.at(code);
    case Element::dynamic8:
      return kDynamic8Values.at(code);
    case Element::power_of_two:
      return power_of_two_value(code);
    default:
      throw std::invalid_argument("the element has no scalar grid");
  }
}

std::vector<float> values_of(Element element) {
  std::vector<float> values(std::size_t{1} << bits_of(element));
  for (std::size_t code = 0; code < values.size(); ++code) {
    values[code] = value_of(element, static_cast<std::uint32_t>(code));
  }
  return values;
}

}  // namespace codecs
