// SPDX-License-Identifier: Apache-2.0
// 1-bit Adam's all_reduce (arXiv 2102.02888, section 4): an all_to_all of signs to the server of
// each shard and an all_gather of signs back, with error feedback in both directions.
//
//   worker   sent = values + its residual; one scale, the root mean square of the whole tensor;
//            a wire for each shard: its signs and that scale
//   server   sent = mean of the shard's wires + its own residual; one wire: signs and the root
//            mean square of the shard
//   all      decode the wires of all servers, one after the other
//
// Every wire is one of codecs/sign/sign.hpp with one scale per tensor. State: 4 bytes per value and
// 4 bytes per value of the shard. The mean is fma(1, residual, sum of the wires in rank order / P).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

struct OneBit {
  std::size_t elements = 0;  // a multiple of 128 for each rank; pad with zeros
  std::size_t ranks = 1;

  [[nodiscard]] Format format() const;
  [[nodiscard]] std::size_t shard_elements() const { return elements / ranks; }
  // Of a shard, in both directions.
  [[nodiscard]] std::size_t wire_bytes() const;
};

// Throws std::invalid_argument unless the ranks divide the tensor into multiples of 128.
void require_shards(const OneBit& shape);

// `wires` holds those of the shards, in order; `residual` is as long as `values`.
void encode_to_servers(const OneBit& shape, std::span<const float> values,
                       std::span<float> residual, std::span<std::byte> wires);
// `wires` holds those of the ranks, in order; `residual` is as long as the shard.
void reduce_on_server(const OneBit& shape, std::span<const std::byte> wires,
                      std::span<float> residual, std::span<std::byte> wire);
// `wires` holds those of the servers, in order.
void decode_from_servers(const OneBit& shape, std::span<const std::byte> wires,
                         std::span<float> mean);

struct OneBitState {
  std::vector<float> worker;
  std::vector<float> server;
};
// The whole exchange in memory: from values and states of each rank to what every rank decodes.
[[nodiscard]] std::vector<float> all_reduce_one_bit(const OneBit& shape,
                                                    std::span<const std::vector<float>> values,
                                                    std::span<OneBitState> states);

}  // namespace codecs
