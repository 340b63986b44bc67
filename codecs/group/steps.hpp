// The steps of the group codecs' references, for the codecs that are built from them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codecs/group/group.hpp"

namespace codecs {

struct GroupCodes {
  float scale = 0;
  Eigen::ArrayXi codes;  // of a whole group; elements beyond the tensor's end are 0
};
struct Quantiser {
  Format format = {};
  RandomKey key = {};
  float factor = 1;  // of the stored scale: what is decoded is factor times what was encoded
};
// Codes of values that are already in the domain of the wire. `first` is the index of the group's
// first value, counted from the key's first element.
[[nodiscard]] GroupCodes quantise(const Quantiser& quantiser, const Eigen::ArrayXf& values,
                                  std::uint64_t first);
// One whole group from its index, zeros beyond the end, transformed if the format says so.
[[nodiscard]] Eigen::ArrayXf group_values(const Format& format, std::span<const float> values,
                                          std::size_t index);
// Group `index` of a wire of `elements` values.
void store_group(const Format& format, std::size_t elements, std::size_t index,
                 const GroupCodes& group, std::span<std::byte> wire);
[[nodiscard]] GroupCodes load_group(const Format& format, std::size_t elements, std::size_t index,
                                    std::span<const std::byte> wire);
// Sum of group `index` over the wires, in the domain of the wire.
[[nodiscard]] Eigen::ArrayXf sum_groups(const Format& format, std::size_t elements,
                                        std::size_t index, std::span<const std::byte> wires);

}  // namespace codecs
