// SPDX-License-Identifier: Apache-2.0
// Where groups stand on the wire, and their codes as bits of bytes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "codecs/group/steps.hpp"
#include "codecs/hadamard/hadamard.hpp"

namespace codecs {
namespace {

// Before the blocks' scales: float32 of the tensor, then zeros up to 16 bytes.
constexpr std::size_t kTensorScaleBytes = kWireAlignment;

// Integers on symmetric grids, and signs.
bool fuses_group_feedback(const Format& format) {
  if (format.rotation != Rotation::none) return false;
  switch (format.element) {
    case Element::sign:
      return true;
    case Element::int8:
    case Element::int4:
    case Element::int2:
      return format.scale == Scale::amax || format.scale == Scale::amax_full;
    default:
      return false;
  }
}

// FP32, BF16 and ternary values are added to float32 alone.
bool fuses_group_add(const Format& format, int value_bytes) {
  if (format.scale == Scale::clipped) return value_bytes == 4;
  if (format.scale != Scale::none) return true;
  return value_bytes == 4 && (format.element == Element::fp32 || format.element == Element::bf16);
}

// Whole octets first: no overflow.
std::size_t code_bytes(const Format& format, std::size_t elements) {
  const auto bits = static_cast<std::size_t>(bits_of(format.element));
  return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
}

std::size_t wire_bytes(const Format& format, std::size_t elements) {
  return format.scale == Scale::none ? code_bytes(format, elements)
                                     : group_wire(format, elements).bytes;
}

std::size_t first_of_group(const Format& format, std::size_t index) {
  return index == 0 ? 0 : index * format.group;
}

std::size_t scale_offset(const Format& format, const GroupWire& layout, std::size_t index) {
  return layout.scales_offset + index * bytes_of(format.scale);
}

void store(std::span<std::byte> wire, std::size_t offset, float value) {
  std::memcpy(&wire[offset], &value, sizeof value);
}

float load(std::span<const std::byte> wire, std::size_t offset) {
  float value = 0;
  std::memcpy(&value, &wire[offset], sizeof value);
  return value;
}

}  // namespace

constexpr Layout kGroupLayout{.bytes = wire_bytes,
                              .bytes_per_element = group_bytes_per_element,
                              .takes_group = layout_takes_group,
                              .fuses_feedback = fuses_group_feedback,
                              .fuses_add = fuses_group_add};

double group_bytes_per_element(const Format& format) {
  const double payload = bits_of(format.element) / 8.0;
  if (format.group == kWholeTensor) return payload;
  return payload + static_cast<double>(bytes_of(format.scale)) / static_cast<double>(format.group);
}

bool layout_takes_group(const Format& format, std::size_t group) {
  const bool power = std::has_single_bit(group);
  switch (format.scale) {
    case Scale::mean_magnitude:
    case Scale::root_mean_square:
      return power && group >= 128 && group <= 8192;
    case Scale::clipped:
      return power && group <= 512;
    default:
      return group % 32 == 0;
  }
}

GroupWire group_wire(const Format& format, std::size_t elements) {
  GroupWire wire;
  if (elements == 0) return wire;
  wire.groups = (elements - 1) / format.group + 1;
  wire.coded_elements =
      format.rotation == Rotation::hadamard ? round_up(elements, kHadamardBlock) : elements;
  wire.payload_bytes = aligned(code_bytes(format, wire.coded_elements));
  wire.scales_offset =
      wire.payload_bytes + (format.scale == Scale::e4m3_tensor ? kTensorScaleBytes : 0);
  wire.bytes = aligned(scale_offset(format, wire, wire.groups));
  return wire;
}

std::size_t coded_in_group(const Format& format, std::size_t elements, std::size_t index) {
  const std::size_t coded = group_wire(format, elements).coded_elements;
  return std::min(format.group, coded - first_of_group(format, index));
}

Eigen::ArrayXf group_values(const Format& format, std::span<const float> values,
                            std::size_t index) {
  const std::size_t coded = coded_in_group(format, values.size(), index);
  const std::size_t first = first_of_group(format, index);
  const std::size_t count = std::min(coded, values.size() - first);
  Eigen::ArrayXf group = Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(coded));
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, group.begin());
  if (format.rotation == Rotation::hadamard) hadamard({group.data(), coded});
  return group;
}

void store_group(const Format& format, std::size_t elements, std::size_t index,
                 const GroupCodes& group, std::span<std::byte> wire) {
  const GroupWire layout = group_wire(format, elements);
  const std::size_t at = scale_offset(format, layout, index);
  switch (bytes_of(format.scale)) {
    case 1:
      wire[at] = std::byte{group.scale.byte};
      break;
    case 8:
      store(wire, at + sizeof(float), group.scale.minimum);
      [[fallthrough]];
    default:
      store(wire, at, group.scale.value);
  }
  if (format.scale == Scale::e4m3_tensor) store(wire, layout.payload_bytes, group.scale.tensor);

  const int bits = bits_of(format.element);
  const Eigen::Index per_byte = 8 / bits;
  std::size_t offset = code_bytes(format, first_of_group(format, index));
  for (Eigen::Index first = 0; first < group.codes.size(); first += per_byte) {
    const Eigen::Index count = std::min(per_byte, group.codes.size() - first);
    int byte = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      byte |= group.codes[first + i] << (static_cast<int>(i) * bits);
    }
    wire[offset++] = static_cast<std::byte>(byte);
  }
}

GroupCodes load_group(const Format& format, std::size_t elements, std::size_t index,
                      std::span<const std::byte> wire) {
  const GroupWire layout = group_wire(format, elements);
  GroupCodes group;
  const std::size_t at = scale_offset(format, layout, index);
  if (bytes_of(format.scale) == 1) {
    group.scale.byte = std::to_integer<std::uint8_t>(wire[at]);
  } else {
    group.scale.value = load(wire, at);
  }
  if (format.scale == Scale::min_max) group.scale.minimum = load(wire, at + sizeof(float));
  if (format.scale == Scale::e4m3_tensor) group.scale.tensor = load(wire, layout.payload_bytes);

  const int bits = bits_of(format.element);
  const Eigen::Index per_byte = 8 / bits;
  std::size_t offset = code_bytes(format, first_of_group(format, index));
  group.codes.resize(static_cast<Eigen::Index>(coded_in_group(format, elements, index)));
  for (Eigen::Index first = 0; first < group.codes.size(); first += per_byte) {
    const Eigen::Index count = std::min(per_byte, group.codes.size() - first);
    int byte = std::to_integer<int>(wire[offset++]);
    for (Eigen::Index i = 0; i < count; ++i, byte >>= bits) {
      group.codes[first + i] = byte & ((1 << bits) - 1);
    }
  }
  return group;
}

}  // namespace codecs
