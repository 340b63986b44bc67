// SPDX-License-Identifier: Apache-2.0
// Tree: an all_reduce up and down two binary trees at once, in chunks that follow each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/collectives/protocols.hpp"
#include "sim/collectives/run.hpp"
#include "sim/collectives/trees.hpp"

namespace sim {
namespace {

// Largest chunk: NCCL's buffer of 4 MiB (NCCL_BUFFSIZE) has 8 places (NCCL_STEPS).
constexpr double kChunkBytes = 512 * 1024;

// What trees reach of the bandwidth of rings, as each GPU passes on sums up and down at once: fitted
// on the log azure_nd96asr_v4_2x8. NCCL's tuner takes 0.92 (src/graph/tuning.cc).
constexpr double kTreeShare = 0.8;

struct LaidEdge {
  std::size_t child = 0, parent = 0;          // places in the group
  ByProtocol<double> up_s = {}, down_s = {};  // latency
};
using LaidTree = std::vector<LaidEdge>;
// The trees of a group. Their legs are folded, or the ways up and down of each edge, whose `unit` is
// per byte of a chunk.
struct LaidTrees {
  double parts = 0;                // of the buffer, one for each tree
  double hops = 0;                 // of all distinct trees
  double s_per_byte = 0;           // at full rate
  double fill_s_per_byte = 0;      // of a chunk: Fill
  ProtocolCosts costs;             // one step, up and down
  std::vector<LaidTree> in_order;  // step by step
};

double chunks_of(const LaidTrees& trees, double bytes) {
  return std::ceil(bytes / trees.parts / kChunkBytes);
}

std::optional<Duration> estimate_trees(const LaidTrees& trees, const Order& order) {
  const auto& cost = at(trees.costs, order.protocol);
  if (!cost) return std::nullopt;
  const double chunk = order.bytes / trees.parts / chunks_of(trees, order.bytes);
  return Duration{
      .before_s = cost->launch_s,
      .on_the_way_s = cost->step_s + trees.fill_s_per_byte * chunk + order.bytes * cost->s_per_byte,
      .moving_s = order.bytes * trees.s_per_byte};
}

class Pipeline {
 public:
  Pipeline(ScheduleBuilder& builder, const Call& call, const LaidTree& tree,
           std::span<const Leg> legs, Protocol protocol, OperationId ready)
      : builder_(builder),
        call_(call),
        tree_(tree),
        legs_(legs),
        protocol_(protocol),
        last_up_(tree.size(), ready),
        last_down_(tree.size(), ready) {}

  // One more chunk: the arrivals at all ranks but the root.
  Ids chunk(double bytes) {
    std::vector<Ids> arrived(tree_.size() + 1);
    for (std::size_t i = tree_.size(); i-- > 0;) {
      const LaidEdge& edge = tree_[i];
      arrived[edge.parent].push_back(pass(legs_[2 * i], at(edge.up_s, protocol_).value(), bytes,
                                          arrived[edge.child], last_up_[i]));
    }
    Ids ends;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const LaidEdge& edge = tree_[i];
      const OperationId end = pass(legs_[2 * i + 1], at(edge.down_s, protocol_).value(), bytes,
                                   arrived[edge.parent], last_down_[i]);
      arrived[edge.child] = {end};
      ends.push_back(end);
    }
    return ends;
  }

 private:
  // Passes on what has arrived, after the chunk before, whose latency it need not wait for.
  OperationId pass(const Leg& leg, double latency_s, double bytes, Ids arrived, OperationId& last) {
    arrived.push_back(last);
    last = builder_.flow(leg.route, leg.occupancy, call_.phase, call_.label, {}, bytes * leg.unit,
                         arrived);
    return wait(builder_, call_, latency_s, last);
  }

  static OperationId wait(ScheduleBuilder& builder, const Call& call, double seconds,
                          OperationId after) {
    if (seconds == 0) return after;
    return builder.flow(builder.add_route({}), 0, call.phase, call.label, {.before_s = seconds}, 0,
                        {&after, 1});
  }

  ScheduleBuilder& builder_;
  const Call& call_;
  const LaidTree& tree_;
  std::span<const Leg> legs_;  // up and down, by edge
  Protocol protocol_;
  Ids last_up_, last_down_;
};

void run_trees(ScheduleBuilder& builder, const Communicator& group, const LaidTrees& trees,
               std::span<const Leg> legs, const Order& order, const Call& call) {
  const Duration duration = estimate_trees(trees, order).value();
  const double chunks = chunks_of(trees, order.bytes);
  const double chunk_bytes = order.bytes / trees.parts / chunks;
  builder.count_unfolded(group.alike * 2 * chunks *
                         trees.hops);  // each hop's bytes, and its latency
  if (group.detail == Detail::folded) {
    run_legs(builder, group, legs, order.bytes, latency_of(duration), call);
    return;
  }
  run_collective(builder, group, call, [&](OperationId begin) {
    const double protocol_s = order.bytes * at(trees.costs, order.protocol)->s_per_byte;
    const OperationId ready =
        builder.flow(builder.add_route({}), 0, call.phase, call.label,
                     {.before_s = duration.before_s + protocol_s}, 0, {&begin, 1});
    Ids ends;
    std::size_t begun = 0;
    for (const LaidTree& tree : trees.in_order) {
      Pipeline pipeline(builder, call, tree, legs.subspan(begun, 2 * tree.size()), order.protocol,
                        ready);
      begun += 2 * tree.size();
      for (double chunk = 1; chunk < chunks; ++chunk) pipeline.chunk(chunk_bytes);
      const Ids last = pipeline.chunk(chunk_bytes);
      ends.insert(ends.end(), last.begin(), last.end());
    }
    return ends;
  });
}

LaidTree lay_out_tree(const Topology& topology, const Tree& tree, double channels,
                      const Paces& paces, const ProtocolCosts& known, std::vector<LegDraft>& legs) {
  LaidTree laid;
  const double weight = tree.weight;
  for (const TreeEdge& edge : tree.edges) {
    LaidEdge& one = laid.emplace_back(LaidEdge{.child = edge.child, .parent = edge.parent});
    for (const Hop& hop : {edge.up, edge.down}) {
      legs.push_back({.hops = {hop}, .unit = weight, .channels = weight * channels});
    }
    for (const Protocol protocol : kProtocols) {
      if (!at(known, protocol)) continue;
      const auto number = static_cast<std::size_t>(protocol);
      one.up_s[number] = step_latency(topology, paces, edge.up, protocol);
      one.down_s[number] = step_latency(topology, paces, edge.down, protocol);
    }
  }
  return laid;
}

LaidOut lay_out_trees(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const std::vector<Tree> trees = double_binary_trees(cluster, ranks);
  const std::vector<Lane> lanes = lanes_of(trees);
  std::vector<LegDraft> legs = fold_lanes(cluster, ranks, lanes);
  const Busiest busiest = busiest_of(topology, legs);
  const Paces paces = paces_of(cluster);
  const auto step_s = [&](Protocol protocol) {
    return fill_latency(topology, paces, trees, protocol);
  };
  LaidTrees laid{.parts = static_cast<double>(parts_of(lanes)),
                 .hops = static_cast<double>(trees.size() * 2 * (ranks.size() - 1)),
                 .s_per_byte = busiest.seconds(),
                 .fill_s_per_byte = fill_s_per_byte(topology, trees),
                 .costs = protocol_costs(cluster, paces, busiest, step_s, kTreeShare),
                 .in_order = {}};
  if (detail == Detail::step_by_step) {
    legs.clear();
    for (const Tree& tree : trees) {
      laid.in_order.push_back(lay_out_tree(
          topology, tree, cluster.collectives.channels / laid.parts, paces, laid.costs, legs));
    }
  }
  std::vector<double> pace = values_of(laid.costs);
  pace.insert(pace.end(), {laid.s_per_byte, laid.fill_s_per_byte});
  const auto estimate = [laid](const Order& order) { return estimate_trees(laid, order); };
  return {std::move(legs), std::move(pace),
          [laid = std::move(laid)](ScheduleBuilder& builder, const Communicator& group,
                                   std::span<const Leg> laid_legs, const Order& order,
                                   const Call& call) {
            run_trees(builder, group, laid, laid_legs, order, call);
          },
          estimate};
}

constexpr std::array kTreeCollectives{CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::tree{
    .name = "tree",
    .runs = kTreeCollectives,
    .lay_out = lay_out_trees,
    .sent = [](CollectiveKind, int ranks, int) { return 2 * (ranks - 1.0) / ranks; },
    .suits = [](const Cluster&, int, int nodes) { return nodes > 1; }};

}  // namespace sim
