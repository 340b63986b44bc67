#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "codecs/group/group.hpp"
#include "codecs/group/steps.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/random/random.hpp"

namespace codecs {
namespace {

std::size_t round_up(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

float largest_code(const Format& format) {
  return static_cast<float>((1 << (bits_of(format.element) - 1)) - 1);
}

void require_group_format(const Format& format) {
  require(format.element == Element::int4 || format.element == Element::int8,
          "group codes have 4 or 8 bits");
  require(format.scale == Scale::amax, "group codes are symmetric");
  require(format.group > 1 && format.group % 2 == 0, "a group is an even number of elements");
  require(format.rotation == Rotation::none || format.group % kHadamardBlock == 0,
          "groups hold whole Hadamard blocks");
}

void require_wire(const Format& format, std::size_t elements, std::size_t bytes) {
  require_group_format(format);
  require(bytes == encoded_bytes(format, elements), "a wire is encoded_bytes() long");
}

// Integer maximum of the magnitudes' bits: a NaN is above infinity and so is not lost, as it would
// be by a maximum of floats.
std::uint32_t largest_magnitude_bits(const Eigen::ArrayXf& values) {
  std::uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFu);
  }
  return largest;
}

// floor(v + r) for a random r in [0, 1), in fixed point of 1/256: max |code| stays the largest
// code, as 256 * 127 + 255 < 256 * 128.
Eigen::ArrayXi round_stochastically(const Eigen::ArrayXf& scaled, const RandomKey& key,
                                    std::uint64_t first) {
  Eigen::ArrayXi codes = (scaled * 256.0f).rint().cast<int>();
  RandomBytes random(key);
  for (Eigen::Index i = 0; i < codes.size(); ++i) {
    codes[i] += random(key.first_element + first + static_cast<std::uint64_t>(i));
  }
  return codes.shiftRight<8>();
}

std::size_t code_bytes(const Format& format, std::size_t elements) {
  return elements * static_cast<std::size_t>(bits_of(format.element)) / 8;
}

std::byte low_byte(int code) { return static_cast<std::byte>(code & 0xFF); }

int signed_nibble(int bits) { return (bits & 0xF) < 8 ? bits & 0xF : (bits & 0xF) - 16; }

}  // namespace

GroupWire group_wire(const Format& format, std::size_t elements) {
  const std::size_t coded =
      format.rotation == Rotation::hadamard ? round_up(elements, kHadamardBlock) : elements;
  const auto bits = static_cast<std::size_t>(bits_of(format.element));
  const std::size_t code_bytes = coded / 8 * bits + (coded % 8 * bits + 7) / 8;
  GroupWire wire;
  wire.groups = elements / format.group + (elements % format.group != 0 ? 1 : 0);
  wire.coded_elements = coded;
  wire.payload_bytes = round_up(code_bytes, kWireAlignment);
  wire.scales_offset = wire.payload_bytes;
  wire.bytes = wire.scales_offset + round_up(wire.groups * bytes_of(format.scale), kWireAlignment);
  return wire;
}

Eigen::ArrayXf group_values(const Format& format, std::span<const float> values,
                            std::size_t index) {
  const std::size_t first = index * format.group;
  const std::size_t count = std::min(format.group, values.size() - first);
  Eigen::ArrayXf group = Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(format.group));
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, group.begin());
  if (format.rotation == Rotation::hadamard) hadamard({group.data(), format.group});
  return group;
}

GroupCodes quantise(const Quantiser& quantiser, const Eigen::ArrayXf& values, std::uint64_t first) {
  GroupCodes group{.scale = 0, .codes = Eigen::ArrayXi::Zero(values.size())};
  const std::uint32_t bits = largest_magnitude_bits(values);
  const auto amax = std::bit_cast<float>(bits);
  if (bits >= kInfinityBits) {
    group.scale = std::bit_cast<float>(kNaNScale);
    return group;
  }
  if (amax < kTinyGroup) return group;
  const float largest = largest_code(quantiser.format);
  group.scale = amax / largest * quantiser.factor;
  const Eigen::ArrayXf scaled = values * (largest / amax);
  group.codes = quantiser.format.rounding == Rounding::stochastic
                    ? round_stochastically(scaled, quantiser.key, first)
                    : scaled.rint().cast<int>();
  return group;
}

void store_group(const Format& format, std::size_t elements, std::size_t index,
                 const GroupCodes& group, std::span<std::byte> wire) {
  const GroupWire layout = group_wire(format, elements);
  std::memcpy(&wire[layout.payload_bytes + index * sizeof(float)], &group.scale, sizeof(float));
  const std::size_t offset = code_bytes(format, index * format.group);
  const std::size_t count =
      std::min(code_bytes(format, format.group), layout.payload_bytes - offset);
  for (std::size_t i = 0; i < count; ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    wire[offset + i] = format.element == Element::int8
                           ? low_byte(group.codes[e])
                           : low_byte((group.codes[2 * e] & 0xF) | (group.codes[2 * e + 1] << 4));
  }
}

GroupCodes load_group(const Format& format, std::size_t elements, std::size_t index,
                      std::span<const std::byte> wire) {
  const GroupWire layout = group_wire(format, elements);
  GroupCodes group{.scale = 0,
                   .codes = Eigen::ArrayXi::Zero(static_cast<Eigen::Index>(format.group))};
  std::memcpy(&group.scale, &wire[layout.payload_bytes + index * sizeof(float)], sizeof(float));
  const std::size_t offset = code_bytes(format, index * format.group);
  const std::size_t count =
      std::min(code_bytes(format, format.group), layout.payload_bytes - offset);
  for (std::size_t i = 0; i < count; ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    const auto code = static_cast<std::int8_t>(wire[offset + i]);
    if (format.element == Element::int8) {
      group.codes[e] = code;
    } else {
      group.codes[2 * e] = signed_nibble(code);
      group.codes[2 * e + 1] = code >> 4;
    }
  }
  return group;
}

Eigen::ArrayXf sum_groups(const Format& format, std::size_t elements, std::size_t index,
                          std::span<const std::byte> wires) {
  const std::size_t bytes = encoded_bytes(format, elements);
  Eigen::ArrayXf sum = Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(format.group));
  for (std::size_t offset = 0; offset < wires.size(); offset += bytes) {
    const GroupCodes group = load_group(format, elements, index, wires.subspan(offset, bytes));
    for (Eigen::Index i = 0; i < sum.size(); ++i) {
      sum[i] = std::fma(static_cast<float>(group.codes[i]), group.scale, sum[i]);
    }
  }
  return sum;
}

void encode_groups(const Format& format, std::span<const float> values, const RandomKey& key,
                   std::span<std::byte> wire) {
  require_wire(format, values.size(), wire.size());
  std::ranges::fill(wire, std::byte{0});
  for (std::size_t index = 0; index * format.group < values.size(); ++index) {
    const GroupCodes group = quantise({.format = format, .key = key},
                                      group_values(format, values, index), index * format.group);
    store_group(format, values.size(), index, group, wire);
  }
}

void decode_reduce(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                   std::span<float> sums) {
  require_wire(format, sums.size(), inputs == 0 ? 0 : wires.size() / inputs);
  for (std::size_t index = 0; index * format.group < sums.size(); ++index) {
    Eigen::ArrayXf sum = sum_groups(format, sums.size(), index, wires);
    if (format.rotation == Rotation::hadamard) inverse_hadamard({sum.data(), format.group});
    const std::size_t first = index * format.group;
    std::copy_n(sum.begin(), std::min(format.group, sums.size() - first),
                sums.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void decode_groups(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  decode_reduce(format, wire, 1, values);
}

namespace {

constexpr Codec row(std::string_view name, std::string_view summary, Format format) {
  return {.name = name,
          .summary = summary,
          .format = format,
          .encode = encode_groups,
          .decode = decode_groups};
}

constexpr Format symmetric(Element element, std::size_t group, Rounding rounding,
                           Rotation rotation = Rotation::none) {
  return {.element = element,
          .scale = Scale::amax,
          .group = group,
          .rounding = rounding,
          .rotation = rotation};
}

constexpr Rounding kNearest = Rounding::nearest;
constexpr Rounding kStochastic = Rounding::stochastic;

}  // namespace

constexpr Codec int8_g128 = row("int8_g128", "INT8, a scale for 128 elements, nearest",
                                symmetric(Element::int8, 128, kNearest));
constexpr Codec int8_g128_sr = row("int8_g128_sr", "INT8, a scale for 128 elements, stochastic",
                                   symmetric(Element::int8, 128, kStochastic));
constexpr Codec int8_g128_hadamard_sr =
    row("int8_g128_hadamard_sr", "INT8 of the Hadamard transform, a scale for 128, stochastic",
        symmetric(Element::int8, 128, kStochastic, Rotation::hadamard));
constexpr Codec int4_g128 = row("int4_g128", "INT4, a scale for 128 elements, nearest",
                                symmetric(Element::int4, 128, kNearest));
constexpr Codec int4_g128_sr = row("int4_g128_sr", "INT4, a scale for 128 elements, stochastic",
                                   symmetric(Element::int4, 128, kStochastic));
constexpr Codec int4_g128_hadamard_sr =
    row("int4_g128_hadamard_sr", "INT4 of the Hadamard transform, a scale for 128, stochastic",
        symmetric(Element::int4, 128, kStochastic, Rotation::hadamard));
constexpr Codec int4_g2048 = row("int4_g2048", "INT4, a scale for 2048 elements, nearest",
                                 symmetric(Element::int4, 2048, kNearest));
constexpr Codec int4_g2048_sr = row("int4_g2048_sr", "INT4, a scale for 2048 elements, stochastic",
                                    symmetric(Element::int4, 2048, kStochastic));

}  // namespace codecs
