// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/schedule.hpp"

#include <array>
#include <optional>

namespace sim {
namespace {

SentBytes count_sent(const Schedule& schedule, std::optional<Phase> phase) {
  const auto ranks = static_cast<std::size_t>(schedule.ranks);
  SentBytes sent{std::vector<double>(ranks), std::vector<double>(ranks)};
  for (const Operation& operation : schedule.operations) {
    if (operation.kind != OperationKind::flow || (phase && operation.phase != *phase)) continue;
    for (const Hop& hop : schedule.routes[operation.route].hops) {
      auto& level = hop.over_network() ? sent.inter_node : sent.intra_node;
      level[static_cast<std::size_t>(hop.source)] += operation.bytes * hop.times;
    }
  }
  return sent;
}

}  // namespace

const char* phase_name(Phase phase) {
  static constexpr std::array names{
      "forward",       "backward",       "recompute",   "optimizer",     "encode",
      "decode",        "memory_pass",    "tensor_comm", "pipeline_comm", "weight_comm",
      "gradient_comm", "optimizer_comm", "norm_comm",   "outer_comm",    "none"};
  return names[static_cast<std::size_t>(phase)];
}

const char* stream_name(Stream stream) {
  static constexpr std::array names{
      "compute", "codec",     "tensor",          "receive_forward", "receive_backward",
      "weights", "gradients", "gradients_inter", "weight_codec",    "tensor_codec"};
  return names[static_cast<std::size_t>(stream)];
}

SentBytes sent_bytes(const Schedule& schedule) { return count_sent(schedule, std::nullopt); }
SentBytes sent_bytes(const Schedule& schedule, Phase phase) { return count_sent(schedule, phase); }

}  // namespace sim
