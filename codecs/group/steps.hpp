// SPDX-License-Identifier: Apache-2.0
// Steps of the group codecs' references, shared by the codecs built from them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codecs/group/group.hpp"

namespace codecs {

// A group's scale on the wire; the format determines which fields apply.
struct GroupScale {
  float value = 0;        // one unit of the grid, or of the codes of min_max
  float minimum = 0;      // of min_max
  std::uint8_t byte = 0;  // of E8M0, and of E4M3 with a tensor scale
  float tensor = 0;       // that scale
};
struct GroupCodes {
  GroupScale scale = {};
  Eigen::ArrayXi codes;  // bits, for the group's elements in the payload
};
struct Quantiser {
  Format format = {};
  RandomKey key = {};
  float factor = 1;  // of the stored scale: what is decoded is factor times what was encoded; a
                     // power of two for E8M0
  std::optional<std::uint32_t> tensor_magnitude = std::nullopt;  // bits; for e4m3_tensor alone
};

// Elements of group `index` in the payload, including those of the transform's last block.
[[nodiscard]] std::size_t coded_in_group(const Format& format, std::size_t elements,
                                         std::size_t index);
// One group by its index, in the domain of the wire: transformed if the format says so, with zeros
// in the transform's last block beyond the end.
[[nodiscard]] Eigen::ArrayXf group_values(const Format& format, std::span<const float> values,
                                          std::size_t index);
// Largest magnitude as bits; NaNs rank above infinity, so no NaN is lost.
[[nodiscard]] std::uint32_t largest_magnitude_bits(const Eigen::ArrayXf& values);
[[nodiscard]] std::uint32_t tensor_magnitude_bits(const Format& format,
                                                  std::span<const float> values);

// How values become codes: code = round((value - minimum) * multiply), and no code if multiply is
// 0.
struct GroupGrid {
  GroupScale scale = {};
  float minimum = 0;
  float multiply = 0;
};
[[nodiscard]] GroupGrid group_grid(const Quantiser& quantiser, const Eigen::ArrayXf& values);
// The value of one unit of a stored scale.
[[nodiscard]] float step_of(const Format& format, const GroupScale& scale);

// Codes of values already in the domain of the wire. `first` is the index of the group's first
// value, counted from the key's first element.
[[nodiscard]] GroupCodes quantise(const Quantiser& quantiser, const Eigen::ArrayXf& values,
                                  std::uint64_t first);

// Group `index` of a wire of `elements` values.
void store_group(const Format& format, std::size_t elements, std::size_t index,
                 const GroupCodes& group, std::span<std::byte> wire);
[[nodiscard]] GroupCodes load_group(const Format& format, std::size_t elements, std::size_t index,
                                    std::span<const std::byte> wire);
// Sum of group `index` over the wires, in the domain of the wire.
[[nodiscard]] Eigen::ArrayXf sum_groups(const Format& format, std::size_t elements,
                                        std::size_t index, std::span<const std::byte> wires);

}  // namespace codecs
