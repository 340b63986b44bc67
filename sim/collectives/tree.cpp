// SPDX-License-Identifier: Apache-2.0
// Tree: an all_reduce up and down two binary trees at once, in chunks that follow each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/pipeline.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// Largest chunks, of data, by protocol: a place of 8 (NCCL_STEPS) in NCCL's buffers of 512 KiB, half
// of it data, of 4800 KiB, 15 of 16 data, and of 4 MiB (src/include/device.h).
constexpr double kTreeKiB = 1024;
constexpr double kLargestChunk[] = {32 * kTreeKiB, 562.5 * kTreeKiB, 512 * kTreeKiB};

// What trees reach of the bandwidth of rings, as each GPU passes on sums up and down at once: fitted
// on the log azure_nd96asr_v4_2x8. NCCL's tuner takes 0.92 (src/graph/tuning.cc).
constexpr double kTreeShare = 0.8;

// NCCL halves chunks larger than `above` while a channel has fewer than `chunks` (src/enqueue.cc).
struct Halving {
  double chunks = 0, above = 0;
};
using Halvings = std::array<std::array<Halving, 3>, std::size(kProtocols)>;  // by protocol

Halvings halvings_of(double ranks, double nodes) {
  const double gpus = ranks / nodes;
  const double levels = std::floor(std::log2(nodes));
  const double depth = gpus - 1 + levels;
  const double ll128_steps = (1 + levels + 0.1 * gpus) / gpus;
  return {{{},
           {{{64 * ll128_steps, 128 * kTreeKiB}, {16 * ll128_steps, 32 * kTreeKiB}}},
           {{{8 * depth, 128 * kTreeKiB}, {4 * depth, 64 * kTreeKiB}, {depth, 32 * kTreeKiB}}}}};
}

// The trees of a group. Their legs are folded, or the ways up and down of each edge, whose `unit` is
// per byte of a chunk.
struct LaidTrees {
  double channels = 0;
  double parts = 0;       // of the buffer, one for each tree
  double hops = 0;        // of all distinct trees
  double s_per_byte = 0;  // at full rate
  Halvings halvings = {};
  ProtocolCosts costs = {};  // beside the pipeline
  std::vector<Passage> passages = {};
  std::vector<PacedTree> in_order = {};  // step by step
};

Chunks chunks_of(const LaidTrees& trees, const Order& order) {
  const double channel = order.bytes / trees.channels;
  const auto protocol = static_cast<std::size_t>(order.protocol);
  double chunk = kLargestChunk[protocol];
  for (const Halving& one : trees.halvings[protocol]) {
    while (chunk > one.above && channel / chunk < one.chunks) chunk /= 2;
  }
  const double count = std::ceil(channel / chunk);
  return {count, order.bytes / trees.parts / count};
}

std::optional<Duration> estimate_trees(const LaidTrees& trees, const Order& order) {
  const auto& cost = at(trees.costs, order.protocol);
  if (!cost) return std::nullopt;
  const double moving_s = order.bytes * trees.s_per_byte;
  const double full_rate_s = pipeline_s(trees.passages, order.protocol, chunks_of(trees, order));
  return Duration{
      .before_s = cost->launch_s,
      .on_the_way_s = std::max(0.0, full_rate_s - moving_s) + order.bytes * cost->s_per_byte,
      .moving_s = moving_s};
}

class Pipeline {
 public:
  Pipeline(ScheduleBuilder& builder, const Call& call, const PacedTree& tree,
           std::span<const Leg> legs, Protocol protocol, OperationId ready)
      : builder_(builder),
        call_(call),
        tree_(tree),
        legs_(legs),
        protocol_(protocol),
        last_up_(tree.size(), {ready}),
        last_down_(tree.size(), {ready}) {}

  // One more chunk: the arrivals at all ranks but the root.
  Ids chunk(double bytes) {
    std::vector<Ids> arrived(tree_.size() + 1);
    for (std::size_t i = tree_.size(); i-- > 0;) {
      const PacedEdge& edge = tree_[i];
      arrived[edge.parent].push_back(
          pass(legs_[2 * i], edge.up, bytes, arrived[edge.child], last_up_[i]));
    }
    Ids ends;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const PacedEdge& edge = tree_[i];
      const OperationId end =
          pass(legs_[2 * i + 1], edge.down, bytes, arrived[edge.parent], last_down_[i]);
      arrived[edge.child] = {end};
      ends.push_back(end);
    }
    return ends;
  }

 private:
  // Passes on what has arrived, after the chunk before, whose latency it need not wait for.
  OperationId pass(const Leg& leg, const HopPace& pace, double bytes, Ids arrived, Ids& last) {
    arrived.insert(arrived.end(), last.begin(), last.end());
    last = {builder_.flow(leg.route, leg.occupancy, call_.phase, call_.label, {}, bytes * leg.unit,
                          arrived),
            wait(pace.s_per_byte * bytes, arrived)};
    return wait(pace.latency_s[static_cast<std::size_t>(protocol_)], last);
  }

  OperationId wait(double seconds, const Ids& after) {
    return builder_.flow(builder_.add_route({}), 0, call_.phase, call_.label, {.before_s = seconds},
                         0, after);
  }

  ScheduleBuilder& builder_;
  const Call& call_;
  const PacedTree& tree_;
  std::span<const Leg> legs_;  // up and down, by edge
  Protocol protocol_;
  std::vector<Ids> last_up_, last_down_;
};

void run_trees(ScheduleBuilder& builder, const Communicator& group, const LaidTrees& trees,
               std::span<const Leg> legs, const Order& order, const Call& call) {
  const Duration duration = estimate_trees(trees, order).value();
  const Chunks chunks = chunks_of(trees, order);
  // Each hop's bytes, its share of its links, and its latency.
  builder.count_unfolded(group.alike * 3 * chunks.count * trees.hops);
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
    for (const PacedTree& tree : trees.in_order) {
      Pipeline pipeline(builder, call, tree, legs.subspan(begun, 2 * tree.size()), order.protocol,
                        ready);
      begun += 2 * tree.size();
      for (double i = 1; i < chunks.count; ++i) pipeline.chunk(chunks.bytes);
      const Ids last = pipeline.chunk(chunks.bytes);
      ends.insert(ends.end(), last.begin(), last.end());
    }
    return ends;
  });
}

void append_hops(const Tree& tree, double channels, std::vector<LegDraft>& legs) {
  const double weight = tree.weight;
  for (const TreeEdge& edge : tree.edges) {
    for (const Hop& hop : {edge.up, edge.down}) {
      legs.push_back({.hops = {hop}, .unit = weight, .channels = weight * channels});
    }
  }
}

LaidOut lay_out_trees(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const Paces paces = paces_of(cluster);
  const std::vector<Tree> trees = double_binary_trees(cluster, ranks);
  const std::vector<Lane> lanes = lanes_of(trees);
  std::vector<LegDraft> legs = fold_lanes(cluster, ranks, lanes);
  const double parts = parts_of(lanes);
  const TreePipeline pipeline(topology, paces, legs, parts);
  const Busiest busiest = busiest_of(topology, legs);
  LaidTrees laid{
      .channels = static_cast<double>(cluster.collectives.channels),
      .parts = parts,
      .hops = static_cast<double>(lanes.size() * 2 * (ranks.size() - 1)),
      .halvings = halvings_of(static_cast<double>(ranks.size()), count_nodes(cluster, ranks)),
      .costs = protocol_costs(
          cluster, paces, busiest, [](Protocol) { return 0.0; }, kTreeShare),
      .passages = pipeline.passages(trees)};
  laid.s_per_byte = slowest_s_per_byte(laid.passages) / parts;
  if (detail == Detail::step_by_step) {
    legs.clear();
    for (const Tree& tree : trees) {
      laid.in_order.push_back(pipeline.paced(tree));
      append_hops(tree, laid.channels / parts, legs);
    }
  }
  std::vector<double> pace = values_of(laid.costs);
  pace.push_back(laid.s_per_byte);
  append_values(laid.passages, pace);
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
