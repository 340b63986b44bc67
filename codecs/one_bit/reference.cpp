// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/feedback/feedback.hpp"
#include "codecs/group/group.hpp"
#include "codecs/one_bit/one_bit.hpp"
#include "codecs/sign/sign.hpp"

namespace codecs {

Format OneBit::format() const { return one_bit.format; }

std::size_t OneBit::wire_bytes() const { return encoded_bytes(format(), shard_elements()); }

void require_shards(const OneBit& shape) {
  require(shape.ranks > 0 && shape.elements % (shape.ranks * 128) == 0,
          "each rank has a shard of a multiple of 128 elements: pad the tensor with zeros");
}

void encode_to_servers(const OneBit& shape, std::span<const float> values,
                       std::span<float> residual, std::span<std::byte> wires) {
  require_shards(shape);
  require(values.size() == shape.elements && wires.size() == shape.ranks * shape.wire_bytes(),
          "a wire for each shard");
  std::vector<std::byte> whole(encoded_bytes(shape.format(), shape.elements));
  encode_with_feedback(one_bit, {}, values, {}, residual, whole);
  const std::size_t bits = shape.shard_elements() / 8;
  const auto scale = std::span(whole).last(shape.elements == 0 ? 0 : kWireAlignment);
  for (std::size_t shard = 0; shard * bits < shape.elements / 8; ++shard) {
    const auto wire = wires.subspan(shard * shape.wire_bytes(), shape.wire_bytes());
    std::ranges::copy(std::span(whole).subspan(shard * bits, bits), wire.begin());
    std::ranges::copy(scale, wire.last(kWireAlignment).begin());
  }
}

void reduce_on_server(const OneBit& shape, std::span<const std::byte> wires,
                      std::span<float> residual, std::span<std::byte> wire) {
  require_shards(shape);
  std::vector<float> sum(shape.shard_elements());
  decode_reduce_signs(shape.format(), wires, shape.ranks, sum);
  encode_with_feedback(one_bit, {.gain = 1.0f / static_cast<float>(shape.ranks)}, sum, {}, residual,
                       wire);
}

void decode_from_servers(const OneBit& shape, std::span<const std::byte> wires,
                         std::span<float> mean) {
  require_shards(shape);
  require(mean.size() == shape.elements && wires.size() == shape.ranks * shape.wire_bytes(),
          "a wire of each server");
  for (std::size_t shard = 0; shard < shape.ranks; ++shard) {
    decode_signs(shape.format(), wires.subspan(shard * shape.wire_bytes(), shape.wire_bytes()),
                 mean.subspan(shard * shape.shard_elements(), shape.shard_elements()));
  }
}

std::vector<float> all_reduce_one_bit(const OneBit& shape,
                                      std::span<const std::vector<float>> values,
                                      std::span<OneBitState> states) {
  require(values.size() == shape.ranks && states.size() == shape.ranks,
          "values and a state of each rank");
  const std::size_t bytes = shape.wire_bytes();
  std::vector<std::vector<std::byte>> sent(shape.ranks);
  for (std::size_t rank = 0; rank < shape.ranks; ++rank) {
    sent[rank].resize(shape.ranks * bytes);
    encode_to_servers(shape, values[rank], states[rank].worker, sent[rank]);
  }
  std::vector<std::byte> gathered(shape.ranks * bytes);
  for (std::size_t server = 0; server < shape.ranks; ++server) {
    std::vector<std::byte> received;
    for (const std::vector<std::byte>& wires : sent) {
      const auto wire = std::span(wires).subspan(server * bytes, bytes);
      received.insert(received.end(), wire.begin(), wire.end());
    }
    reduce_on_server(shape, received, states[server].server,
                     std::span(gathered).subspan(server * bytes, bytes));
  }
  std::vector<float> mean(shape.elements);
  decode_from_servers(shape, gathered, mean);
  return mean;
}

}  // namespace codecs
