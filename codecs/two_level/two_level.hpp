// SPDX-License-Identifier: Apache-2.0
// Reduce-scatter of gradients in two all-to-all hops (SDP4Bit, arXiv 2410.15526): 8 bits inside the
// node, 4 between nodes. A node's GPUs sum before anything leaves the node, and values are decoded
// twice in total, not once per hop of a ring. With Hadamard formats the sum stays in the
// transformed domain until the last step.
//
// A gradient is P * M partitions, one for each rank z = node * P + gpu; a partition is Y slices,
// whose exchanges can overlap. The first encode writes in the order of the destinations:
//
//   for each slice y and GPU l    one wire of M * slice elements, for GPU l of this node:
//     for each node m               slice y of partition m * P + l
//
// That GPU sums P such wires and encodes M wires of one slice each, for its peers on the nodes.
// Both hops send one buffer with payload and scales. The mean's 1/(P M) is in the first hop's
// scales.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

struct TwoLevel {
  std::size_t gpus_per_node = 1;   // P
  std::size_t nodes = 1;           // M
  std::size_t slices = 1;          // Y
  std::size_t slice_elements = 0;  // a multiple of the group
  Format intra = {};               // of the hop inside the node
  Format inter = {};               // of the hop between nodes: same group, same transform

  [[nodiscard]] std::size_t ranks() const { return gpus_per_node * nodes; }
  [[nodiscard]] std::size_t shard_elements() const { return slices * slice_elements; }
  [[nodiscard]] std::size_t padded_elements() const { return ranks() * shard_elements(); }
  // Bytes of one wire of the first hop; a rank encodes slices * gpus_per_node of them.
  [[nodiscard]] std::size_t intra_wire_elements() const { return nodes * slice_elements; }
};

// The smallest slice that holds `elements` in all. Throws std::invalid_argument if the formats do
// not match.
[[nodiscard]] TwoLevel two_level(TwoLevel shape, std::size_t elements);

// The location of the group at `source` of the padded gradient: its wire, and its index there.
struct WirePlace {
  std::size_t wire = 0;
  std::size_t group = 0;
  friend bool operator==(const WirePlace&, const WirePlace&) = default;
};
[[nodiscard]] WirePlace swizzled(const TwoLevel& shape, std::size_t source);

// First hop: values, then zeros up to padded_elements(), into slices * P wires laid end to end.
void encode_swizzled(const TwoLevel& shape, std::span<const float> values, const RandomKey& key,
                     std::span<std::byte> wires);

// Sums wires without leaving their domain and encodes the sum as wires of equal length.
struct Requantise {
  Format wire = {};
  Format wire_out = {};
  std::size_t inputs = 1;  // wires of `elements` values, laid end to end
  std::size_t elements =
      0;  // of one input; with wires_out > 1 each part is a multiple of the group
  std::size_t wires_out = 1;  // laid end to end
};
void decode_reduce_encode(const Requantise& shape, std::span<const std::byte> wires,
                          const RandomKey& key, std::span<std::byte> wires_out);

// The whole exchange in memory: the mean of the ranks' gradients (equal lengths), in order. Ranks
// draw their own random bits; those of the second hop use the key's tensor with its top bit
// flipped.
[[nodiscard]] std::vector<float> reduce_two_level(const TwoLevel& shape,
                                                  std::span<const std::vector<float>> gradients,
                                                  const RandomKey& key);

}  // namespace codecs
