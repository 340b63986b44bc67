// SPDX-License-Identifier: Apache-2.0
// What the codec tests share: tensors, wires, and lengths that hit every edge of a format.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/error/distributions.hpp"

namespace codecs {

inline std::vector<float> normal_values(std::size_t elements, std::uint64_t seed = 7) {
  return draw(distribution_named("normal"), seed, elements);
}

inline std::vector<std::byte> encoded(const Codec& codec, std::span<const float> values,
                                      const RandomKey& key = {}) {
  std::vector<std::byte> wire(encoded_bytes(codec.format, values.size()));
  codec.encode(codec.format, values, key, wire);
  return wire;
}

inline std::vector<float> decoded(const Codec& codec, std::span<const std::byte> wire,
                                  std::size_t elements) {
  std::vector<float> values(elements);
  codec.decode(codec.format, wire, values);
  return values;
}

// Whether one scale covers the tensor, so that all its values depend on each other.
inline bool scales_tensor(const Format& format) {
  return format.scale != Scale::none &&
         (format.group == kWholeTensor || format.scale == Scale::e4m3_tensor);
}

// Elements that depend on each other: a group, or a rotation's block; some number where it is the
// tensor.
inline std::size_t group_elements(const Format& format) {
  if (format.rotation == Rotation::random_signs) return std::max(format.group, format.block);
  return format.group == kWholeTensor ? 1000 : format.group;
}

// Nothing, one, around a group, odd, around 16 codes and a Hadamard block, and many groups with a
// tail.
inline std::set<std::size_t> edge_lengths(const Format& format) {
  const std::size_t group = group_elements(format);
  return {0, 1, 2, 15, 17, 31, 33, group - 1, group, group + 1, 4 * group + 37, 100'003};
}

}  // namespace codecs
