// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "codecs/group/group.hpp"
#include "codecs/loco/loco.hpp"

namespace codecs {
namespace {

void copy_group(const GroupWire& layout, std::size_t group, std::size_t index,
                std::span<const std::byte> from, std::span<std::byte> to) {
  const auto copy = [&](std::size_t first, std::size_t bytes) {
    std::ranges::copy(from.subspan(first, bytes), to.subspan(first).begin());
  };
  copy(index * group, std::min(group, layout.payload_bytes - index * group));
  copy(layout.scales_offset + index * sizeof(float), sizeof(float));
}

}  // namespace

Format residual_format(const Loco& loco) {
  return {.element = Element::int8, .scale = Scale::amax_full, .group = loco.wire.group};
}

void encode_loco(const Loco& loco, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> residual, std::span<std::byte> wire) {
  require(loco.wire.rotation == Rotation::none, "the residual is of values, not of a transform");
  const Codec codec{.format = loco.wire, .encode = encode_groups, .decode = decode_groups};
  const std::vector<std::byte> before(residual.begin(), residual.end());
  std::vector<float> error(values.size()), decoded(values.size());
  decode_groups(residual_format(loco), residual, error);
  encode_with_feedback(codec, loco.feedback, values, key, error, wire);
  encode_groups(residual_format(loco), error, key, residual);
  decode_groups(loco.wire, wire, decoded);
  const GroupWire layout = group_wire(residual_format(loco), values.size());
  for (std::size_t index = 0; index < layout.groups; ++index) {
    if (std::isfinite(decoded[index * loco.wire.group])) continue;
    copy_group(layout, loco.wire.group, index, before, residual);
  }
}

}  // namespace codecs
