// SPDX-License-Identifier: Apache-2.0
// Tokens between experts, as libraries made for them send them: dispatch takes each token to the ranks
// of its experts, and combine brings the rows back and adds them. NVLink, the network and the SMs that
// copy rows work at the same time, chunk by chunk, so that the slowest of them sets the pace. A network
// that takes time for each message takes it beside that of the bytes.
#pragma once

#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/collectives/algorithm.hpp"

namespace sim {

// What one SM takes for a token's row.
struct RowCost {
  Seconds row;            // whatever its size
  Bandwidth rate;         // of its bytes; 0: the row costs nothing
  Seconds thousand = {};  // of its values, whatever their precision

  [[nodiscard]] double seconds(double bytes, double values) const {
    return rate.base() == 0 ? 0
                            : row.base() + bytes / rate.base() + values / 1000 * thousand.base();
  }
};

// Of a token: a row to each of its ranks, and one to each of its nodes.
struct TokenCost {
  RowCost to_rank, to_node;

  // Of one SM, per byte of rows to ranks.
  [[nodiscard]] double s_per_byte(const Spread& spread) const;
};

struct TokenPass {
  Seconds launch;         // until the first row arrives
  Seconds doubling = {};  // more each time that the nodes double: they wait for each other
  TokenCost cost;
};
// Libraries have kernels of their own for one node.
struct TokenPasses {
  TokenPass one_node, several_nodes;
};

struct TokenKernels {
  TokenPasses dispatch, combine;
  // A token crosses the network once to each node, to the GPU in the sender's place, which passes it
  // on over NVLink; else straight to each rank.
  bool once_to_each_node = true;
  int multiprocessors = 0;  // that copy rows; 0: all, whose costs are then those of a whole GPU
};

// What such algorithms run.
inline constexpr CollectiveKind kOfTokens[] = {CollectiveKind::all_to_all};

[[nodiscard]] LaidOut lay_out_tokens(const Topology& topology, const std::vector<int>& ranks,
                                     Detail detail, const TokenKernels& kernels);

// CollectiveAlgorithm::sent of tokens that cross the network once to each node, if each goes to one
// rank.
[[nodiscard]] double sent_by_place(CollectiveKind collective, int ranks, int nodes);

// The row of a library that sends a token once to each node, and there once to each rank.
template <const TokenKernels& kernels>
constexpr CollectiveAlgorithm by_nodes(std::string_view name) {
  return {.name = name,
          .runs = kOfTokens,
          .lay_out = [](const Topology& topology, const std::vector<int>& ranks,
                        Detail detail) { return lay_out_tokens(topology, ranks, detail, kernels); },
          .sent = sent_by_place,
          .takes = [](const Cluster&, const GroupShape& shape) { return shape.even; },
          .needs = "the same number of GPUs and NICs of each node",
          .suits = never,
          .multiprocessors = kernels.multiprocessors,
          .once_to_each_rank = true};
}

}  // namespace sim
