// SPDX-License-Identifier: Apache-2.0
// NVLS: an all_reduce whose sums the NVLink switch makes (NVLink SHARP). Each GPU sends its buffer
// once and receives the sum once, where a ring would pass nearly twice the buffer. Between nodes, the
// GPU behind each channel's NIC passes its node's sum through double binary trees (NVLS-tree). Simple
// protocol only.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/pipeline.hpp"
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// NCCL sends smaller chunks where the buffer has fewer than `rounds` of this size or more
// (src/enqueue.cc).
struct ChunkStep {
  double rounds;
  double bytes;
};
constexpr ChunkStep kOneNode[] = {{64, 64 * kKiB}, {8, 32 * kKiB}, {2, 16 * kKiB}};
constexpr ChunkStep kBetweenNodes[] = {{4, 64 * kKiB}, {1, 32 * kKiB}};

struct ChunkSizes {
  double at_once = 1;  // one of each GPU of a node, on each channel
  double most_bytes = 128 * kKiB;
  std::span<const ChunkStep> steps = kOneNode;

  // Of a buffer.
  [[nodiscard]] double bytes_of(double buffer) const {
    double chunk = most_bytes;
    for (const ChunkStep& step : steps) {
      if (buffer < step.rounds * at_once * chunk) chunk = std::min(chunk, step.bytes);
    }
    return chunk;
  }
};

ChunkSizes chunks_over(const Cluster& cluster, std::size_t ranks, std::size_t nodes) {
  constexpr std::size_t kManyNodes = 4;
  ChunkSizes chunks{.at_once = cluster.nvlink.sums.channels * static_cast<double>(ranks / nodes)};
  if (nodes > 1) chunks.steps = kBetweenNodes;
  if (nodes >= kManyNodes) chunks.most_bytes = 64 * kKiB;
  return chunks;
}

struct InSwitch {
  double parts = 0;  // of the buffer, each with a pipeline of its own
  double before_s = 0;
  double latency_s = 0;
  double s_per_byte = 0;              // at full rate
  double in_switch_s = 0;             // per byte, in the largest chunks there could be
  std::vector<Passage> between = {};  // nodes
  ChunkSizes chunks = {};
  double chunk_overhead = 0;  // bytes

  // Per byte beyond the full rate.
  [[nodiscard]] double slower_s(double buffer) const {
    return std::max(0.0, in_switch_s * (1 + chunk_overhead / chunks.bytes_of(buffer)) - s_per_byte);
  }
  // Of the trees, beyond the bytes at their rate.
  [[nodiscard]] double fill_s(double buffer) const {
    if (between.empty()) return 0;
    const double count = std::ceil(buffer / (chunks.at_once * chunks.bytes_of(buffer)));
    return pipeline_s(between, Protocol::simple,
                      {.count = count, .bytes = buffer / parts / count}) -
           buffer / parts * slowest_s_per_byte(between);
  }
};

std::optional<Duration> estimate_in_switch(const InSwitch& sums, const Order& order) {
  if (order.protocol != Protocol::simple) return std::nullopt;
  return Duration{.before_s = sums.before_s,
                  .on_the_way_s = sums.latency_s + sums.fill_s(order.bytes) +
                                  order.bytes * sums.slower_s(order.bytes),
                  .moving_s = order.bytes * sums.s_per_byte};
}

// Into the switch and out of it, once by each GPU of a node: as hops of a ring.
void add_switch_hops(const std::vector<int>& members, std::vector<Hop>& hops) {
  for (std::size_t i = 0; i < members.size() && members.size() > 1; ++i) {
    hops.push_back({members[i], members[(i + 1) % members.size()]});
  }
}

std::vector<Hop> switch_hops(const Visits& nodes) {
  std::vector<Hop> hops;
  for (const std::vector<int>& members : nodes) add_switch_hops(members, hops);
  return hops;
}

LaidOut lay_out_in_switch(const Topology& topology, const std::vector<int>& ranks,
                          const std::vector<Tree>& trees) {
  const Cluster& cluster = topology.cluster();
  const LinkPace nvls =
      cluster.nvlink.nvls.value_or(LinkPace{cluster.nvlink.latency, cluster.nvlink.efficiency});
  const Visits nodes = channel_visits(cluster, ranks, Ends::open).front();
  const std::vector<Lane> lanes = trees.empty() ? std::vector<Lane>(1) : lanes_of(trees);
  std::vector<LegDraft> legs = fold_lanes(cluster, ranks, lanes, switch_hops(nodes));
  const Busiest busiest = busiest_of(topology, legs);
  InSwitch sums{.parts = static_cast<double>(parts_of(lanes)),
                .before_s = cluster.collectives.launch.base(),
                .latency_s = nvls.latency.base(),
                .s_per_byte = busiest.seconds(),
                .in_switch_s = busiest.nvlink_s * cluster.nvlink.efficiency / nvls.efficiency,
                .chunks = chunks_over(cluster, ranks.size(), nodes.size()),
                .chunk_overhead = static_cast<double>(cluster.nvlink.sums.chunk_overhead.count)};
  if (!trees.empty()) {
    sums.between = TreePipeline(topology, paces_of(cluster), legs, sums.parts).passages(trees);
  }
  std::vector<double> pace{sums.before_s, sums.latency_s, sums.s_per_byte, sums.in_switch_s,
                           sums.chunks.at_once};
  append_values(sums.between, pace);
  const auto run = [sums](ScheduleBuilder& builder, const Communicator& group,
                          std::span<const Leg> laid, const Order& order, const Call& call) {
    builder.count_unfolded(group.alike * static_cast<double>(laid.size()));
    run_legs(builder, group, laid, order.bytes, latency_of(estimate_in_switch(sums, order).value()),
             call);
  };
  return {std::move(legs), std::move(pace), run,
          [sums](const Order& order) { return estimate_in_switch(sums, order); }};
}

LaidOut lay_out_nvls(const Topology& topology, const std::vector<int>& ranks, Detail /*detail*/) {
  return lay_out_in_switch(topology, ranks, {});
}

LaidOut lay_out_nvls_tree(const Topology& topology, const std::vector<int>& ranks,
                          Detail /*detail*/) {
  return lay_out_in_switch(topology, ranks, trees_of_heads(topology.cluster(), ranks));
}

// NCCL's tuner gives sums in the switch 0.85 (n - 1) / n of the links (0.74 on Blackwell) and a ring
// n / (2 (n - 1)): they pay from five GPUs of a node on (src/graph/tuning.cc).
bool pays(const Cluster& cluster, int ranks, int nodes) {
  constexpr int kFewest = 5;
  return cluster.nvlink.nvls.has_value() && ranks >= kFewest * nodes;
}

constexpr std::array kInSwitch{CollectiveKind::all_reduce};

}  // namespace

constinit const CollectiveAlgorithm algorithms::nvls{
    .name = "nvls",
    .runs = kInSwitch,
    .lay_out = lay_out_nvls,
    .sent = [](CollectiveKind, int, int) { return 1.0; },
    .most_nodes = 1,
    .needs = "GPUs of one node",
    .suits = [](const Cluster& cluster, int ranks,
                int nodes) { return nodes == 1 && pays(cluster, ranks, nodes); },
    .nccl = nccl::Algorithm::nvls};

constinit const CollectiveAlgorithm algorithms::nvls_tree{
    .name = "nvls_tree",
    .runs = kInSwitch,
    .lay_out = lay_out_nvls_tree,
    .sent = [](CollectiveKind, int ranks, int nodes) { return 1 + 2 * (nodes - 1.0) / ranks; },
    .suits = [](const Cluster& cluster, int ranks,
                int nodes) { return nodes > 1 && pays(cluster, ranks, nodes); },
    .nccl = nccl::Algorithm::nvls_tree};

}  // namespace sim
