// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/rounds.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// Rounds of the legs. They begin together.
constexpr std::uint32_t kInside = 0;   // or between any two ranks, where tokens go straight
constexpr std::uint32_t kBetween = 1;  // nodes, once for each

struct LaidTokens {
  TokenKernels kernels;
  double doublings = 0;                // of nodes
  double inside_s = 0, between_s = 0;  // per byte of each rank's buffer, at full rate
  double far = 0;                      // share of rows to nodes, or ranks, that leave the node
  double message_s = 0;                // Network::message
  double messages = 0;
};

// Bytes of rows to nodes per byte of rows to ranks.
double bytes_to_nodes(const Spread& spread) { return spread.to_nodes / spread.to_ranks; }

// Of the messages of rows that leave the node, beside their bytes, per byte of rows to ranks.
double posting_s(const LaidTokens& laid, const Spread& spread) {
  if (spread.row_bytes <= 0) return 0;
  const double rows = laid.kernels.once_to_each_node ? bytes_to_nodes(spread) : 1;
  return rows * laid.far * laid.message_s / spread.row_bytes;
}

double multiprocessors(const TokenKernels& kernels, const Order& order) {
  if (kernels.multiprocessors == 0) return 1;
  return order.multiprocessors > 0 ? order.multiprocessors : kernels.multiprocessors;
}

std::optional<Duration> estimate(const LaidTokens& laid, const Order& order) {
  if (order.protocol != Protocol::simple) return std::nullopt;
  const TokenKernels& kernels = laid.kernels;
  const TokenPasses& passes = order.spread.sums ? kernels.combine : kernels.dispatch;
  const TokenPass& pass = laid.doublings > 0 ? passes.several_nodes : passes.one_node;
  const double moving = std::max(laid.inside_s, laid.between_s * bytes_to_nodes(order.spread));
  const double copying = pass.cost.s_per_byte(order.spread) / multiprocessors(kernels, order);
  return Duration{
      .before_s = pass.launch.base() + laid.doublings * pass.doubling.base(),
      .on_the_way_s = order.bytes * std::max(copying - moving, posting_s(laid, order.spread)),
      .moving_s = order.bytes * moving};
}

void run_tokens(ScheduleBuilder& builder, const Communicator& group, const LaidTokens& laid,
                std::span<const Leg> legs, const Order& order, const Call& call) {
  builder.count_unfolded(group.alike * laid.messages);
  const ScheduleBuilder::Latency latency = latency_of(estimate(laid, order).value());
  const auto run = [&](OperationId begin) {
    Ids flows;
    for (const Leg& leg : legs) {
      const double share = leg.round == kBetween ? bytes_to_nodes(order.spread) : 1;
      flows.push_back(builder.flow(leg.route, leg.occupancy, call.phase, call.label, latency,
                                   order.bytes * leg.unit * share, {&begin, 1}));
    }
    return flows;
  };
  run_collective(builder, group, call, run,
                 laid.kernels.multiprocessors > 0 ? Multiprocessors::held : Multiprocessors::free);
}

void append(const Topology& topology, Round round, std::uint32_t number, double& seconds,
            LaidTokens& laid, std::vector<LegDraft>& legs) {
  seconds = busiest_of(topology, round.legs).seconds();
  laid.messages += round.messages;
  for (LegDraft& leg : round.legs) {
    leg.round = number;
    legs.push_back(std::move(leg));
  }
}

std::vector<double> pace_of(const LaidTokens& laid) {
  return {laid.doublings, laid.inside_s, laid.between_s, laid.messages};
}

}  // namespace

double TokenCost::s_per_byte(const Spread& spread) const {
  // A long row's own cost is nothing beside its bytes'.
  constexpr double kLongRow = 1e9;
  const double row = spread.row_bytes > 0 ? spread.row_bytes : kLongRow;
  const double values = spread.row_values > 0 ? spread.row_values : row / 2;
  return (to_rank.seconds(row, values) + bytes_to_nodes(spread) * to_node.seconds(row, values)) /
         row;
}

LaidOut lay_out_tokens(const Topology& topology, const std::vector<int>& ranks, Detail detail,
                       const TokenKernels& kernels) {
  const int on_nodes = count_nodes(topology.cluster(), ranks);
  LaidTokens laid{.kernels = kernels,
                  .doublings = std::log2(on_nodes),
                  .far = 1 - 1.0 / on_nodes,
                  .message_s = topology.cluster().network.message.base()};
  LaidOut out{.holds_multiprocessors = kernels.multiprocessors > 0};
  const auto add = [&](const std::vector<std::vector<int>>& groups, double share,
                       std::uint32_t number, double& seconds) {
    if (groups.front().size() < 2) return;
    append(topology, pairs_of(topology, groups, share, detail), number, seconds, laid, out.legs);
  };
  if (kernels.once_to_each_node) {
    const auto nodes = inside_nodes(topology.cluster(), ranks);
    const auto places = between_nodes(topology.cluster(), ranks);
    add(nodes, 1 / static_cast<double>(places.size()), kInside, laid.inside_s);
    add(places, 1 / static_cast<double>(nodes.size()), kBetween, laid.between_s);
  } else {
    add({ranks}, 1 / static_cast<double>(ranks.size()), kInside, laid.inside_s);
  }
  out.pace = pace_of(laid);
  out.run = [laid](ScheduleBuilder& builder, const Communicator& group, std::span<const Leg> legs,
                   const Order& order,
                   const Call& call) { run_tokens(builder, group, laid, legs, order, call); };
  out.estimate = [laid](const Order& order) { return estimate(laid, order); };
  return out;
}

double sent_by_place(CollectiveKind /*collective*/, int ranks, int nodes) {
  const double places = double{1} * ranks / nodes;
  return (places - 1) / places + (nodes - 1.0) / nodes;
}

}  // namespace sim
