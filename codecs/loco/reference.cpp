#include <vector>

#include "codecs/group/group.hpp"
#include "codecs/loco/loco.hpp"

namespace codecs {

Format residual_format(const Loco& loco) {
  return {.element = Element::int8, .scale = Scale::amax_full, .group = loco.wire.group};
}

void encode_loco(const Loco& loco, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> residual, std::span<std::byte> wire) {
  require(loco.wire.rotation == Rotation::none, "the residual is of values, not of a transform");
  const Codec codec{.format = loco.wire, .encode = encode_groups, .decode = decode_groups};
  std::vector<float> error(values.size());
  decode_groups(residual_format(loco), residual, error);
  encode_with_feedback(codec, loco.feedback, values, key, error, wire);
  encode_groups(residual_format(loco), error, key, residual);
}

}  // namespace codecs
