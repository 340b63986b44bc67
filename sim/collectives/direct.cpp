// SPDX-License-Identifier: Apache-2.0
// Direct: each rank sends its buffer to the next one, and the last to the first, as nccl-tests'
// sendrecv does.
#include <array>
#include <utility>

#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

LaidOut lay_out_direct(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  std::vector<std::vector<Hop>> messages;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    messages.push_back(topology.path(ranks[i], ranks[(i + 1) % ranks.size()]));
  }
  Round round = round_of(topology.cluster(), std::move(messages), 1, detail);
  return lay_out_rounds(topology, detail, {{CollectiveKind::send_receive, {std::move(round)}}},
                        {.paces = paces_of_pairs(topology.cluster())});
}

constexpr std::array kDirectCollectives{CollectiveKind::send_receive};

}  // namespace

constinit const CollectiveAlgorithm algorithms::direct{
    .name = "direct",
    .runs = kDirectCollectives,
    .lay_out = lay_out_direct,
    .sent = [](CollectiveKind, int, int) { return 1.0; }};

}  // namespace sim
