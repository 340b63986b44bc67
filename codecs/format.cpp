// SPDX-License-Identifier: Apache-2.0
#include "codecs/format.hpp"

#include <array>
#include <charconv>
#include <stdexcept>

#include "codecs/codec.hpp"

namespace codecs {
namespace {

struct ElementRow {
  Element element;
  std::string_view name;
  int bits;
};
constexpr std::array kElements{
    ElementRow{Element::fp32, "fp32", 32},
    ElementRow{Element::fp16, "fp16", 16},
    ElementRow{Element::bf16, "bf16", 16},
    ElementRow{Element::e4m3, "e4m3", 8},
    ElementRow{Element::e5m2, "e5m2", 8},
    ElementRow{Element::e2m1, "e2m1", 4},
    ElementRow{Element::int8, "int8", 8},
    ElementRow{Element::int4, "int4", 4},
    ElementRow{Element::int2, "int2", 2},
    ElementRow{Element::nf4, "nf4", 4},
    ElementRow{Element::dynamic8, "dynamic8", 8},
    ElementRow{Element::power_of_two, "power_of_two", 8},
    ElementRow{Element::sign, "sign", 1},
    ElementRow{Element::lloyd1, "lloyd1", 1},
    ElementRow{Element::lloyd2, "lloyd2", 2},
    ElementRow{Element::lloyd3, "lloyd3", 3},
    ElementRow{Element::lloyd4, "lloyd4", 4},
    ElementRow{Element::codebook2, "codebook2", 2},
    ElementRow{Element::sign_magnitude2, "sign_magnitude2", 2},
};

struct ScaleRow {
  Scale scale;
  std::string_view name;  // in a format's
  std::size_t bytes;
};
constexpr std::array kScales{
    ScaleRow{Scale::none, "", 0},
    ScaleRow{Scale::amax, "", 4},
    ScaleRow{Scale::amax_full, "_full", 4},
    ScaleRow{Scale::min_max, "_minmax", 8},
    ScaleRow{Scale::norm, "_norm", 4},
    ScaleRow{Scale::clipped, "_clipped", 4},
    ScaleRow{Scale::mean_magnitude, "_mean", 4},
    ScaleRow{Scale::root_mean_square, "_rms", 4},
    ScaleRow{Scale::e8m0_floor, "_floor", 1},
    ScaleRow{Scale::e8m0_ceil, "_ceil", 1},
    ScaleRow{Scale::e8m0_even, "_even", 1},
    ScaleRow{Scale::e4m3_tensor, "_e4m3", 1},
    ScaleRow{Scale::reciprocal, "_reciprocal", 8},
    ScaleRow{Scale::matched, "_matched", 4},
};

// The tables are in the order of the enumerations.
const ElementRow& row(Element element) { return kElements.at(static_cast<std::size_t>(element)); }
const ScaleRow& row(Scale scale) { return kScales.at(static_cast<std::size_t>(scale)); }

std::string rotation_name(const Format& format) {
  switch (format.rotation) {
    case Rotation::none:
      return "";
    case Rotation::hadamard:
      return format.block == 32 ? "_hadamard" : "_hadamard" + std::to_string(format.block);
    case Rotation::random_signs:
      return "_rht" + std::to_string(format.block);
    case Rotation::dct:
      return format.block == 64 ? "_dct" : "_dct" + std::to_string(format.block);
  }
  throw std::invalid_argument("a rotation outside the enumeration");
}

// N of a name with "_gN"; 0 where there is none.
std::size_t group_in(std::string_view name) {
  const std::size_t place = name.rfind("_g");
  if (place == std::string_view::npos) return 0;
  std::size_t group = 0;
  std::from_chars(name.data() + place + 2, name.data() + name.size(), group);
  return group;
}

}  // namespace

int bits_of(Element element) { return row(element).bits; }

std::size_t bytes_of(Scale scale) { return row(scale).bytes; }

std::size_t encoded_bytes(const Format& format, std::size_t elements) {
  require(format.group > 0, "a group has at least one element");
  return format.layout->bytes(format, elements);
}

double encoded_bytes_per_element(const Format& format) {
  require(format.group > 0, "a group has at least one element");
  return format.layout->bytes_per_element(format);
}

std::string format_name(const Format& format) {
  for (const Codec* codec : all_codecs()) {
    if (codec->format == format) return std::string(codec->name);
  }
  std::string name(row(format.element).name);
  name += row(format.scale).name;
  if (format.scale != Scale::none) {
    name += format.group == kWholeTensor ? "_tensor" : "_g" + std::to_string(format.group);
  }
  name += rotation_name(format);
  if (format.keep > 0) {
    name += format.choice == Choice::random ? "_random" : "_top";
    name += std::to_string(format.keep) + "of" + std::to_string(format.group);
  }
  if (format.rounding == Rounding::stochastic) name += "_sr";
  name += format.layout->suffix;
  return name;
}

bool has_groups(const Format& format) {
  return format.layout->takes_group != nullptr && format.group > 1 && format.group != kWholeTensor;
}

bool takes_group(const Format& format, std::size_t group) {
  constexpr std::size_t kSmallest = 32, kLargest = 1 << 20;
  return has_groups(format) && group >= kSmallest && group <= kLargest &&
         format.layout->takes_group(format, group);
}

std::optional<Format> format_named(std::string_view name) {
  for (const Codec* codec : all_codecs()) {
    if (codec->name == name) return codec->format;
  }
  const std::size_t group = group_in(name);
  for (const Codec* codec : all_codecs()) {
    Format format = codec->format;
    format.group = group;
    if (takes_group(format, group) && format_name(format) == name) return format;
  }
  return std::nullopt;
}

}  // namespace codecs
