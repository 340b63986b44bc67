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
      const auto rank = static_cast<std::size_t>(hop.source);
      level[rank] += operation.bytes * operation.times * hop.times /
                     static_cast<double>(schedule.alike[rank].size());
    }
  }
  return sent;
}

WireBytes mean_of(const Schedule& schedule, const SentBytes& sent) {
  WireBytes mean;
  double ranks = 0;
  for (std::size_t rank = 0; rank < schedule.alike.size(); ++rank) {
    const auto count = static_cast<double>(schedule.alike[rank].size());
    ranks += count;
    mean.intra_node += count * sent.intra_node[rank];
    mean.inter_node += count * sent.inter_node[rank];
  }
  return {mean.intra_node / ranks, mean.inter_node / ranks};
}

}  // namespace

const char* phase_name(Phase phase) {
  static constexpr std::array names{
      "forward",      "backward",    "recompute",     "optimizer",      "encode",
      "decode",       "memory_pass", "tensor_comm",   "pipeline_comm",  "expert_comm",
      "context_comm", "weight_comm", "gradient_comm", "optimizer_comm", "norm_comm",
      "outer_comm",   "host_copy",   "none"};
  return names[static_cast<std::size_t>(phase)];
}

const char* stream_name(Stream stream) {
  static constexpr std::array names{
      "compute",          "codec",        "tensor",    "receive_forward",
      "receive_backward", "weights",      "gradients", "gradients_inter",
      "weight_codec",     "tensor_codec", "host",      "experts",
      "expert_codec",     "context",      "to_host",   "from_host"};
  return names[static_cast<std::size_t>(stream)];
}

double Schedule::operations_of_step() const {
  double count = 0;
  for (const Operation& operation : operations) count += operation.times;
  return count;
}

int Schedule::periods_played() const {
  int played = 0;
  for (const PeriodRange& one : periods) {
    if (one.stage == 0) played = one.period + 1;
  }
  return played;
}

SentBytes sent_bytes(const Schedule& schedule) { return count_sent(schedule, std::nullopt); }
SentBytes sent_bytes(const Schedule& schedule, Phase phase) { return count_sent(schedule, phase); }

WireBytes mean_sent(const Schedule& schedule) { return mean_of(schedule, sent_bytes(schedule)); }
WireBytes mean_sent(const Schedule& schedule, Phase phase) {
  return mean_of(schedule, sent_bytes(schedule, phase));
}

}  // namespace sim
