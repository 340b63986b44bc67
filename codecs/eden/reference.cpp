// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codecs/eden/eden.hpp"
#include "codecs/group/group.hpp"
#include "codecs/rotation/rotation.hpp"

namespace codecs {
namespace {

std::span<const float> centroids(const Format& format) {
  switch (format.element) {
    case Element::lloyd1:
      return kLloydMax1;
    case Element::lloyd2:
      return kLloydMax2;
    case Element::lloyd3:
      return kLloydMax3;
    case Element::lloyd4:
      return kLloydMax4;
    default:
      require(false, "EDEN's codes are Lloyd-Max centroids");
      return {};
  }
}

void require_eden(const Format& format) {
  require(format.scale == Scale::matched && format.rotation == Rotation::random_signs,
          "EDEN's scale is matched, and its rotation has random signs");
  require(format.group == format.block, "EDEN's group is its rotation's block");
  require(std::has_single_bit(format.group) && format.group >= kSmallestEden &&
              format.group <= kLargestEden,
          "EDEN's group is a power of two from 128 to 8192");
}

// Where the parts of a wire are.
struct EdenWire {
  std::size_t groups = 0;
  std::size_t group_bytes = 0;  // of codes
  std::size_t scales = 0;       // offset
};
EdenWire eden_wire(const Format& format, std::size_t elements) {
  EdenWire wire;
  wire.groups = (elements + format.group - 1) / format.group;
  wire.group_bytes = format.group * static_cast<std::size_t>(bits_of(format.element)) / 8;
  wire.scales = kSignKeyBytes + wire.groups * wire.group_bytes;
  return wire;
}

// Magnitudes in the low bits, the sign above them, in the order of the elements.
struct EdenCodes {
  float scale = 0;
  std::vector<unsigned> codes;
};

// The element that is number `place` of word `word`.
std::size_t element_at(std::size_t group, std::size_t word, std::size_t place) {
  return place * (group / kEdenWord) + word;
}

// Sum of a[i] * b[i] in the order of the header.
float ordered_sum(std::span<const float> a, std::span<const float> b) {
  std::vector<float> sums(a.size() / kEdenWord);
  for (std::size_t word = 0; word < sums.size(); ++word) {
    for (std::size_t place = 0; place < kEdenWord; ++place) {
      const std::size_t i = element_at(a.size(), word, place);
      sums[word] = std::fma(a[i], b[i], sums[word]);
    }
  }
  const std::size_t run = std::min(sums.size(), kEdenNeighbours);
  for (std::size_t stride = 1; stride < run; stride *= 2) {
    for (std::size_t i = 0; i < sums.size(); i += 2 * stride) sums[i] += sums[i + stride];
  }
  float sum = sums[0];
  for (std::size_t i = run; i < sums.size(); i += run) sum += sums[i];
  return sum;
}

// How many thresholds the magnitude is above.
unsigned nearest(std::span<const float> levels, float magnitude) {
  unsigned index = 0;
  while (index + 1 < levels.size() && magnitude > (levels[index] + levels[index + 1]) / 2) ++index;
  return index;
}

std::uint32_t largest_bits(std::span<const float> values) {
  std::uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, magnitude_bits(value));
  }
  return largest;
}

// `rotated` is the transform of values whose largest magnitude has these bits.
EdenCodes quantise(const Format& format, std::uint32_t bits, std::span<const float> rotated) {
  EdenCodes group{.scale = 0, .codes = std::vector<unsigned>(rotated.size())};
  if (std::bit_cast<float>(bits) < kTinyGroup) return group;
  group.scale = std::bit_cast<float>(kNaNScale);
  if (bits >= kInfinityBits) return group;
  const int power = std::max(127 - static_cast<int>(bits >> 23), -126);
  std::vector<float> scaled(rotated.begin(), rotated.end());
  for (float& w : scaled) w *= std::ldexp(1.0f, power);
  const float square = ordered_sum(scaled, scaled);
  if (!std::isfinite(square)) return group;

  const std::span<const float> levels = centroids(format);
  const auto size = static_cast<float>(scaled.size());
  const float inverse = std::sqrt(size / square);
  std::vector<float> decoded(scaled.size());
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const float v = scaled[i] * inverse;
    const unsigned index = nearest(levels, std::abs(v));
    const auto sign = static_cast<unsigned>(std::signbit(v));
    group.codes[i] = index | sign << (bits_of(format.element) - 1);
    decoded[i] = std::copysign(levels[index], v);
  }
  group.scale = square / ordered_sum(decoded, scaled) * (1 / size) * std::ldexp(1.0f, -power);
  return group;
}

// The lowest `bits` bits of codes >> shift, word by word, from `bytes` on.
void pack(std::span<const unsigned> codes, unsigned shift, unsigned bits, std::byte* bytes) {
  for (std::size_t word = 0; word < codes.size() / kEdenWord; ++word) {
    std::uint64_t packed = 0;
    for (std::size_t place = 0; place < kEdenWord; ++place) {
      const unsigned code = codes[element_at(codes.size(), word, place)] >> shift;
      packed |= std::uint64_t{code & ((1u << bits) - 1)} << (place * bits);
    }
    std::memcpy(bytes + word * bits * 2, &packed, std::size_t{bits} * 2);
  }
}

void unpack(const std::byte* bytes, unsigned shift, unsigned bits, std::span<unsigned> codes) {
  for (std::size_t word = 0; word < codes.size() / kEdenWord; ++word) {
    std::uint64_t packed = 0;
    std::memcpy(&packed, bytes + word * bits * 2, std::size_t{bits} * 2);
    for (std::size_t place = 0; place < kEdenWord; ++place) {
      const auto code = static_cast<unsigned>(packed >> (place * bits)) & ((1u << bits) - 1);
      codes[element_at(codes.size(), word, place)] |= code << shift;
    }
  }
}

void store(const Format& format, std::size_t elements, std::size_t index, const EdenCodes& group,
           std::span<std::byte> wire) {
  const EdenWire layout = eden_wire(format, elements);
  std::byte* codes = &wire[kSignKeyBytes + index * layout.group_bytes];
  if (format.element == Element::lloyd3) {
    pack(group.codes, 0, 2, codes);
    pack(group.codes, 2, 1, codes + format.group / 4);
  } else {
    pack(group.codes, 0, static_cast<unsigned>(bits_of(format.element)), codes);
  }
  std::memcpy(&wire[layout.scales + index * sizeof(float)], &group.scale, sizeof(float));
}

EdenCodes load(const Format& format, std::size_t elements, std::size_t index,
               std::span<const std::byte> wire) {
  const EdenWire layout = eden_wire(format, elements);
  EdenCodes group{.scale = 0, .codes = std::vector<unsigned>(format.group)};
  const std::byte* codes = &wire[kSignKeyBytes + index * layout.group_bytes];
  if (format.element == Element::lloyd3) {
    unpack(codes, 0, 2, group.codes);
    unpack(codes + format.group / 4, 2, 1, group.codes);
  } else {
    unpack(codes, 0, static_cast<unsigned>(bits_of(format.element)), group.codes);
  }
  std::memcpy(&group.scale, &wire[layout.scales + index * sizeof(float)], sizeof(float));
  return group;
}

// sums += the group's centroids times its scale.
void add(const Format& format, const EdenCodes& group, std::span<float> sums) {
  const std::span<const float> levels = centroids(format);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float level = levels[group.codes[i] % levels.size()];
    sums[i] = std::fma(group.codes[i] < levels.size() ? level : -level, group.scale, sums[i]);
  }
}

}  // namespace

void encode_eden(const Format& format, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> wire) {
  require_eden(format);
  require(wire.size() == encoded_bytes(format, values.size()), "a wire is encoded_bytes() long");
  if (values.empty()) return;
  std::ranges::fill(wire, std::byte{0});
  store_sign_key(sign_key(key), wire);
  const std::vector<float> rotated = rotated_values(format, sign_key(key), values);
  for (std::size_t index = 0; index * format.group < values.size(); ++index) {
    const std::size_t first = index * format.group;
    const std::size_t count = std::min(format.group, values.size() - first);
    const std::uint32_t bits = largest_bits(values.subspan(first, count));
    store(format, values.size(), index,
          quantise(format, bits, std::span(rotated).subspan(first, format.group)), wire);
  }
}

void decode_eden(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  decode_reduce_eden(format, wire, 1, values);
}

void decode_reduce_eden(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                        std::span<float> sums) {
  require_eden(format);
  const std::size_t bytes = encoded_bytes(format, sums.size());
  require(inputs > 0 && wires.size() == inputs * bytes, "a wire is encoded_bytes() long");
  if (sums.empty()) return;
  std::vector<float> rotated(rotated_elements(format, sums.size()));
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t index = 0; index * format.group < sums.size(); ++index) {
      add(format, load(format, sums.size(), index, wires.subspan(i * bytes, bytes)),
          std::span(rotated).subspan(index * format.group, format.group));
    }
  }
  rotate_back_unscaled(format.block, load_sign_key(wires, inputs), rotated);
  std::copy_n(rotated.begin(), sums.size(), sums.begin());
}

namespace {

// A group is a rotation's block, of no other size.
constexpr Layout kEdenLayout{.bytes = rotated_bytes, .bytes_per_element = group_bytes_per_element};

constexpr Codec eden_row(std::string_view name, std::string_view summary, Element element) {
  return {.name = name,
          .summary = summary,
          .format = {.element = element,
                     .scale = Scale::matched,
                     .group = 4096,
                     .rotation = Rotation::random_signs,
                     .block = 4096,
                     .layout = &kEdenLayout},
          .encode = encode_eden,
          .decode = decode_eden};
}

}  // namespace

constexpr Codec eden1_g4096 =
    eden_row("eden1_g4096", "EDEN (DRIVE), 1 bit, one scale per 4096 elements", Element::lloyd1);
constexpr Codec eden2_g4096 =
    eden_row("eden2_g4096", "EDEN, 2 bits, one scale per 4096 elements", Element::lloyd2);
constexpr Codec eden3_g4096 =
    eden_row("eden3_g4096", "EDEN, 3 bits, one scale per 4096 elements", Element::lloyd3);
constexpr Codec eden4_g4096 =
    eden_row("eden4_g4096", "EDEN, 4 bits, one scale per 4096 elements", Element::lloyd4);

}  // namespace codecs
