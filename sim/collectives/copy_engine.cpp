// SPDX-License-Identifier: Apache-2.0
// Copy engines: inside a node, each GPU's copy engines write to all others at once and no SM takes
// part (NCCL 2.28, for buffers in symmetric windows).
#include <array>
#include <utility>

#include "sim/collectives/rounds.hpp"

namespace sim {
namespace {

LaidOut lay_out_copies(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const double size = static_cast<double>(ranks.size());
  Paces paces = paces_of(cluster);
  paces.launch = {std::nullopt, std::nullopt, cluster.collectives.launch};
  // Copies are operations of a stream, as kernels are: one for each other GPU.
  const RoundCosts costs{.paces = paces,
                         .before_s = (size - 1) * cluster.gpu.launch_latency.base(),
                         .own_copy_s_per_byte = own_copy_s_per_byte(cluster) / size,
                         .holds_multiprocessors = false};
  const auto pairs = [&] { return Rounds{pairs_of(topology, {ranks}, 1 / size, detail)}; };
  return lay_out_rounds(
      topology, detail,
      {{CollectiveKind::all_gather, pairs()}, {CollectiveKind::all_to_all, pairs()}}, costs);
}

constexpr std::array kCopied{CollectiveKind::all_gather, CollectiveKind::all_to_all};

}  // namespace

constinit const CollectiveAlgorithm algorithms::copy_engine{
    .name = "copy_engine",
    .runs = kCopied,
    .lay_out = lay_out_copies,
    .sent = [](CollectiveKind, int ranks, int) { return (ranks - 1.0) / ranks; },
    .most_nodes = 1,
    .needs = "one node",
    .suits = never};

}  // namespace sim
