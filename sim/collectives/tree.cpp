// SPDX-License-Identifier: Apache-2.0
// Tree: an all_reduce up and down two binary trees at once, in chunks that follow each other.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/collectives/run.hpp"
#include "sim/collectives/trees.hpp"

namespace sim {
namespace {

// Largest chunk: NCCL's buffer of 4 MiB (NCCL_BUFFSIZE) has 8 places (NCCL_STEPS).
constexpr double kChunkBytes = 512 * 1024;

struct LaidEdge {
  std::size_t child = 0, parent = 0;  // places in the group
  double up_s = 0, down_s = 0;        // latency
};
using LaidTree = std::vector<LaidEdge>;
// The trees of a group. Their legs are folded, or the ways up and down of each edge, whose `unit` is
// per byte of a chunk.
struct LaidTrees {
  double parts = 0;                // of the buffer, one for each tree
  double hops = 0;                 // of all distinct trees
  Fill fill;                       // folded
  std::vector<LaidTree> in_order;  // step by step
};

class Pipeline {
 public:
  Pipeline(ScheduleBuilder& builder, const Call& call, const LaidTree& tree,
           std::span<const Leg> legs, OperationId ready)
      : builder_(builder),
        call_(call),
        tree_(tree),
        legs_(legs),
        last_up_(tree.size(), ready),
        last_down_(tree.size(), ready) {}

  // One more chunk: the arrivals at all ranks but the root.
  Ids chunk(double bytes) {
    std::vector<Ids> arrived(tree_.size() + 1);
    for (std::size_t i = tree_.size(); i-- > 0;) {
      const LaidEdge& edge = tree_[i];
      arrived[edge.parent].push_back(
          pass(legs_[2 * i], edge.up_s, bytes, arrived[edge.child], last_up_[i]));
    }
    Ids ends;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const LaidEdge& edge = tree_[i];
      const OperationId end =
          pass(legs_[2 * i + 1], edge.down_s, bytes, arrived[edge.parent], last_down_[i]);
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
  Ids last_up_, last_down_;
};

void run_trees(ScheduleBuilder& builder, const Communicator& group, const LaidTrees& trees,
               std::span<const Leg> legs, double bytes, const Call& call) {
  const double part = bytes / trees.parts;
  const double chunks = std::ceil(part / kChunkBytes);
  builder.count_unfolded(group.alike * 2 * chunks *
                         trees.hops);  // each hop's bytes, and its latency
  if (group.detail == Detail::folded) {
    const double fill_s = trees.fill.latency_s + trees.fill.s_per_byte * part / chunks;
    run_legs(builder, group, legs, bytes, {.before_s = group.launch_s, .on_the_way_s = fill_s},
             call);
    return;
  }
  run_collective(builder, group, call, [&](OperationId begin) {
    const OperationId ready = builder.flow(builder.add_route({}), 0, call.phase, call.label,
                                           {.before_s = group.launch_s}, 0, {&begin, 1});
    Ids ends;
    std::size_t begun = 0;
    for (const LaidTree& tree : trees.in_order) {
      Pipeline pipeline(builder, call, tree, legs.subspan(begun, 2 * tree.size()), ready);
      begun += 2 * tree.size();
      for (double chunk = 1; chunk < chunks; ++chunk) pipeline.chunk(part / chunks);
      const Ids last = pipeline.chunk(part / chunks);
      ends.insert(ends.end(), last.begin(), last.end());
    }
    return ends;
  });
}

LaidTree lay_out_tree(const Topology& topology, const Tree& tree, double channels,
                      std::vector<LegDraft>& legs) {
  LaidTree laid;
  const double weight = tree.weight;
  for (const TreeEdge& edge : tree.edges) {
    for (const Hop& hop : {edge.up, edge.down}) {
      legs.push_back({.hops = {hop}, .unit = weight, .channels = weight * channels});
    }
    laid.push_back({.child = edge.child,
                    .parent = edge.parent,
                    .up_s = topology.latency(edge.up).base(),
                    .down_s = topology.latency(edge.down).base()});
  }
  return laid;
}

LaidOut lay_out_trees(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const std::vector<Tree> trees = double_binary_trees(cluster, ranks);
  const std::vector<Lane> lanes = lanes_of(trees);
  LaidTrees laid{.parts = static_cast<double>(parts_of(lanes)),
                 .hops = static_cast<double>(trees.size() * 2 * (ranks.size() - 1))};
  std::vector<LegDraft> legs;
  if (detail == Detail::folded) {
    laid.fill = fill_of(topology, trees);
    legs = fold_lanes(cluster, ranks, lanes);
  } else {
    for (const Tree& tree : trees) {
      laid.in_order.push_back(
          lay_out_tree(topology, tree, cluster.collectives.channels / laid.parts, legs));
    }
  }
  std::vector<double> pace{laid.fill.latency_s, laid.fill.s_per_byte};
  return {std::move(legs), std::move(pace),
          [laid = std::move(laid)](ScheduleBuilder& builder, const Communicator& group,
                                   std::span<const Leg> laid_legs, CollectiveKind, double bytes,
                                   const Call& call) {
            run_trees(builder, group, laid, laid_legs, bytes, call);
          }};
}

constexpr std::array kTreeCollectives{CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::tree{
    .name = "tree",
    .runs = kTreeCollectives,
    .lay_out = lay_out_trees,
    .sent = [](CollectiveKind, int ranks) { return 2 * (ranks - 1.0) / ranks; }};

}  // namespace sim
