// SPDX-License-Identifier: Apache-2.0
// Tree: an all_reduce up and down two binary trees at once, in chunks that follow each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/nccl/constants.hpp"
#include "sim/collectives/nccl/group.hpp"
#include "sim/collectives/pipeline.hpp"
#include "sim/collectives/run.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

// Largest chunk by Simple: NCCL's buffer of 4 MiB (NCCL_BUFFSIZE) has 8 places (NCCL_STEPS).
constexpr double kLargestChunk = 512 * 1024;

// What trees reach of the bandwidth of rings, as each GPU passes on sums up and down at once: a choice
// that keeps trees from large buffers of the log azure_nd96asr_v4_2x8, which ran rings. No log with the
// role `fit` ran trees with them. NCCL's tuner takes 0.92 (src/graph/tuning.cc).
constexpr double kTreeShare = 0.8;

// That NCCL sends where a channel has so many bytes, by the depth of its trees (src/enqueue.cc).
double chunk_of(double channel_bytes, double depth) {
  struct Halving {
    double above, chunks;  // halves larger chunks while there are fewer
  };
  double chunk = kLargestChunk;
  for (const auto& [above, chunks] :
       {Halving{128 * kKiB, 8 * depth}, Halving{64 * kKiB, 4 * depth}, Halving{32 * kKiB, depth}}) {
    while (chunk > above && channel_bytes / chunk < chunks) chunk /= 2;
  }
  return chunk;
}

double depth_of_trees(double ranks, double nodes) {
  return ranks / nodes - 1 + std::floor(std::log2(nodes));
}

// The trees of a group. Their legs are folded, or the ways up and down of each edge, whose `unit` is
// per byte of a chunk.
struct LaidTrees {
  double channels = 0;
  double parts = 0;       // of the buffer, one for each tree
  double hops = 0;        // of all distinct trees
  double s_per_byte = 0;  // at full rate
  double depth = 0;
  ProtocolCosts costs = {};  // beside the pipeline
  std::shared_ptr<const nccl::Tuner> tuner = {};
  std::vector<Passage> passages = {};
  std::vector<PacedTree> in_order = {};  // step by step
};

// Each line of LL and LL128 has its own flag, so that it is passed on as it arrives.
Chunks chunks_of(const LaidTrees& trees, const Order& order) {
  if (order.protocol != Protocol::simple) {
    return {.bytes = order.bytes / trees.parts, .streamed = true};
  }
  const double channel = order.bytes / trees.channels;
  const double count = std::ceil(channel / chunk_of(channel, trees.depth));
  return {.count = count, .bytes = order.bytes / trees.parts / count};
}

std::optional<Duration> estimate_trees(const LaidTrees& trees, const Order& order) {
  const auto& cost = at(trees.costs, order.protocol);
  if (!cost) return std::nullopt;
  const double moving_s = order.bytes * trees.s_per_byte;
  const double slower = slower_s_per_byte(trees.tuner.get(), nccl::Algorithm::tree, order,
                                          trees.s_per_byte, cost->s_per_byte);
  const double full_rate_s = pipeline_s(trees.passages, order.protocol, chunks_of(trees, order));
  return Duration{.before_s = cost->launch_s,
                  .on_the_way_s = std::max(0.0, full_rate_s - moving_s) + order.bytes * slower,
                  .moving_s = moving_s};
}

// Of what a rank passes on; the begins are the ends unless it is streamed.
struct Arrival {
  Ids begins, ends;

  void add(const Arrival& other) {
    begins.insert(begins.end(), other.begins.begin(), other.begins.end());
    ends.insert(ends.end(), other.ends.begin(), other.ends.end());
  }
};

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
  Ids pass(const Chunks& chunks) {
    std::vector<Arrival> arrived(tree_.size() + 1);
    for (std::size_t i = tree_.size(); i-- > 0;) {
      const PacedEdge& edge = tree_[i];
      arrived[edge.parent].add(
          hop(legs_[2 * i], edge.up, chunks, arrived[edge.child], last_up_[i]));
    }
    Ids ends;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const PacedEdge& edge = tree_[i];
      arrived[edge.child] =
          hop(legs_[2 * i + 1], edge.down, chunks, arrived[edge.parent], last_down_[i]);
      ends.push_back(arrived[edge.child].ends.front());
    }
    return ends;
  }

 private:
  // Passes on what has arrived, after the chunk before, whose latency it need not wait for.
  Arrival hop(const Leg& leg, const HopPace& pace, const Chunks& chunks, const Arrival& arrived,
              Ids& last) {
    const double latency_s = pace.latency_s[static_cast<std::size_t>(protocol_)];
    Ids after = arrived.begins;
    after.insert(after.end(), last.begin(), last.end());
    last = {builder_.flow(leg.route, leg.occupancy, call_.phase, call_.label, {},
                          chunks.bytes * leg.unit, after),
            wait(pace.s_per_byte * chunks.bytes, after)};
    if (!chunks.streamed) {
      const OperationId end = wait(latency_s, last);
      return {{end}, {end}};
    }
    Ids done = arrived.ends;
    done.insert(done.end(), last.begin(), last.end());
    return {{wait(latency_s, after)}, {wait(latency_s, done)}};
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
  // Each hop's bytes, its share of its links, and the latencies of its begin and its end.
  builder.count_unfolded(group.alike * (chunks.streamed ? 4 : 3) * chunks.count * trees.hops);
  if (group.detail == Detail::folded) {
    run_legs(builder, group, legs, order.bytes, latency_of(duration), call);
    return;
  }
  run_collective(builder, group, call, [&](OperationId begin) {
    const double beyond = at(trees.costs, order.protocol)->s_per_byte;
    const double protocol_s =
        order.bytes * slower_s_per_byte(trees.tuner.get(), nccl::Algorithm::tree, order,
                                        trees.s_per_byte, beyond);
    const OperationId ready =
        builder.flow(builder.add_route({}), 0, call.phase, call.label,
                     {.before_s = duration.before_s + protocol_s}, 0, {&begin, 1});
    Ids ends;
    std::size_t begun = 0;
    for (const PacedTree& tree : trees.in_order) {
      Pipeline pipeline(builder, call, tree, legs.subspan(begun, 2 * tree.size()), order.protocol,
                        ready);
      begun += 2 * tree.size();
      for (double i = 1; i < chunks.count; ++i) pipeline.pass(chunks);
      const Ids last = pipeline.pass(chunks);
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

// How the protocols drive the hops of trees. A ring's large buffers hide what a GPU takes to pass
// bytes on, and paces of channels by size are fitted to those, but a chunk crosses the GPUs of a tree
// one after the other: with them a hop takes at least what NCCL's tuner counts for it.
Paces paces_of_trees(const Cluster& cluster, const nccl::Tuner* tuner) {
  Paces paces = paces_of(cluster);
  for (const Protocol protocol : kProtocols) {
    auto& pace = paces.nvlink[static_cast<std::size_t>(protocol)];
    if (tuner == nullptr || !pace || cluster.nvlink.kind == &fabrics::pcie) continue;
    const double least_us =
        nccl::step_us(tuner->version, nccl::Link::nvlink, nccl::Algorithm::tree, protocol);
    pace->latency = std::max(pace->latency, least_us * 1_us);
  }
  return paces;
}

LaidOut lay_out_trees(const Topology& topology, const std::vector<int>& ranks, Detail detail) {
  const Cluster& cluster = topology.cluster();
  const std::shared_ptr<const nccl::Tuner> tuner =
      nccl::tuner_of(cluster, ranks, count_nodes(cluster, ranks));
  const Paces paces = paces_of_trees(cluster, tuner.get());
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
      .depth = depth_of_trees(static_cast<double>(ranks.size()), count_nodes(cluster, ranks)),
      .costs = protocol_costs(
          cluster, paces, busiest, [](Protocol) { return 0.0; }, kTreeShare),
      .tuner = tuner,
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
  pace.insert(pace.end(), {laid.s_per_byte, laid.depth});
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
    .in_steps = true,
    .sent = [](CollectiveKind, int ranks, int) { return 2 * (ranks - 1.0) / ranks; },
    .suits = [](const Cluster&, int, int nodes) { return nodes > 1; },
    .nccl = nccl::Algorithm::tree};

}  // namespace sim
