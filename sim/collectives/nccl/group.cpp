// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/nccl/group.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "sim/collectives/nccl/constants.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/topology/ranks.hpp"

namespace sim::nccl {
namespace {

constexpr int kMostChannels = 32;  // that the search looks for: MAXCHANNELS / 2

// GB/s of a channel that the search tries, inside a node and between nodes.
constexpr double kInside[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
constexpr double kBetween[] = {48, 30, 28, 24, 20, 18,  15,  12,   10,  9,
                               7,  6,  5,  4,  3,  2.4, 1.2, 0.24, 0.12};
constexpr double kHopperInside[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr double kHopperBetween[] = {48, 45, 42, 40, 30,  24,  22,   20,  17.5,
                                     15, 12, 6,  3,  2.4, 1.2, 0.24, 0.12};
constexpr double kBlackwellInside[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
constexpr double kBlackwellBetween[] = {96,   48, 45.1, 42, 40, 30,  24,  22,   20,
                                        17.5, 15, 12,   6,  3,  2.4, 1.2, 0.24, 0.12};

using Speeds = std::span<const double>;

Speeds speeds(int capability, bool between) {
  if (capability >= 100) return between ? Speeds(kBlackwellBetween) : Speeds(kBlackwellInside);
  if (capability >= 90) return between ? Speeds(kHopperBetween) : Speeds(kHopperInside);
  return between ? Speeds(kBetween) : Speeds(kInside);
}

// What NCCL counts for a link of NVLink or a slot of PCIe, over its data sheet.
double nvlink_share(int capability) {
  if (capability >= 100) return 40.1 / 50;
  return capability >= 90 ? 20.6 / 25 : 20.0 / 25;
}
constexpr double kPcieShare = 0.75;  // 12 GB/s of PCIe 3

double GBps_of(Bandwidth rate) { return rate.base() / 1e9; }

// A node as far as the group uses it.
struct Node {
  int capability = 0;
  int gpus = 1, nics = 1;
  double gpu_GBps = 0;  // out of a GPU, to its peers
  double nic_GBps = 0;
  bool nvlink = true, nvswitch = false;
  Processor processor = Processor::intel;
};

double peers_GBps(const Cluster& cluster, int capability, Processor processor) {
  const Nvlink& nvlink = cluster.nvlink;
  if (nvlink.kind == &fabrics::pcie) {
    // Processors cut what GPUs send each other into small packets, or carry less.
    const double slot = kPcieShare * GBps_of(nvlink.bandwidth);
    return processor == Processor::amd ? std::min(slot, 16.0) : std::min(slot / 1.2, 22.0);
  }
  const int links = joins_pairs(cluster) ? cluster.gpus_per_node - 1 : 1;
  return nvlink_share(capability) * GBps_of(nvlink.bandwidth) * links;
}

int nics_of(const Cluster& cluster, const std::vector<int>& ranks) {
  std::set<int> nics;
  for (const int rank : ranks) {
    if (node_of(cluster, rank) != node_of(cluster, ranks.front())) break;
    nics.insert(nic_of(cluster, rank));
  }
  return static_cast<int>(nics.size());
}

Node node_of_group(const Cluster& cluster, const std::vector<int>& ranks, int nodes,
                   int capability) {
  const Network& network = cluster.network;
  Node node{.capability = capability,
            .gpus = std::max(1, static_cast<int>(ranks.size()) / nodes),
            .nics = nics_of(cluster, ranks),
            .nvlink = cluster.nvlink.kind != &fabrics::pcie,
            .nvswitch = has_switch(cluster.nvlink),
            .processor = cluster.host.processor};
  node.gpu_GBps = peers_GBps(cluster, capability, node.processor);
  // NICs that a GPU does not share are used together.
  const int each = std::max(1, network.nics_per_node / cluster.gpus_per_node);
  node.nic_GBps = each * GBps_of(network.nic_bandwidth);
  if (cluster.gpu.host_bandwidth) {
    node.nic_GBps = std::min(node.nic_GBps, kPcieShare * GBps_of(*cluster.gpu.host_bandwidth));
  }
  return node;
}

// Channels share their links: the speed with most channels times speed, the fastest of equal ones.
template <class Fits>
Graph widest(Speeds speeds, double most, const Fits& fits) {
  Graph found;
  for (const double speed : speeds) {
    if (speed > most) continue;
    if (found.channels > 0 && speed / found.inside_GBps <= 0.49) break;
    const int channels = std::min(kMostChannels, fits(speed));
    if (channels * speed <= found.channels * found.inside_GBps) continue;
    found.channels = channels;
    found.inside_GBps = found.between_GBps = speed;
  }
  return found;
}

// Few fast channels are doubled at half the speed.
void duplicate(Graph& graph, int capability) {
  if (graph.inside_GBps < 25) return;
  if (capability > 80 && graph.inside_GBps < 50 && graph.channels > 4) return;
  const int channels = std::min(2 * graph.channels, kMostChannels);
  const double speed =
      graph.inside_GBps / std::ceil(static_cast<double>(channels) / graph.channels);
  graph.channels = channels;
  graph.inside_GBps = graph.between_GBps = speed;
}

int whole(double channels) { return static_cast<int>(channels + 1e-6); }

Graph rings(const Node& node, bool between) {
  Graph graph;
  if (!between) {
    graph = widest(speeds(node.capability, false), node.gpu_GBps,
                   [&](double speed) { return whole(node.gpu_GBps / speed); });
    if (!node.nvlink) graph.channels = std::min(graph.channels, 1);
  } else {
    // A channel arrives at one GPU and leaves from another, of gpus - 1 that send on.
    const double sends = static_cast<double>(node.gpus - 1) / node.gpus;
    graph = widest(speeds(node.capability, true), node.nic_GBps, [&](double speed) {
      const int by_nics = node.nics * whole(node.nic_GBps / speed);
      if (!node.nvlink) return std::min(by_nics, std::max(1, node.nics / 4));
      return node.gpus == 1 ? by_nics : std::min(by_nics, whole(node.gpu_GBps / (sends * speed)));
    });
  }
  duplicate(graph, node.capability);
  return graph;
}

// As many channels as rings have.
Graph trees(const Node& node, const Graph& rings, bool between) {
  Graph graph = rings;
  const double sends = static_cast<double>(node.gpus - 1) / node.gpus;
  if (!between) {
    graph.inside_GBps = graph.between_GBps = 0;
    for (const double speed : speeds(node.capability, false)) {
      const double share = node.gpus == 2 ? sends : 1;
      if (graph.channels * speed * share > node.gpu_GBps + 1e-6) continue;
      graph.inside_GBps = graph.between_GBps = speed;
      break;
    }
    return graph;
  }
  // Between two nodes, links inside them may be faster.
  const Speeds all = speeds(node.capability, true);
  for (auto at = std::ranges::find(all, rings.between_GBps); at != all.begin();) {
    const double next = *--at;
    const bool fits = node.gpus == 1 || graph.channels * next * sends <= node.gpu_GBps + 1e-6;
    if (!fits || graph.inside_GBps >= 2 * graph.between_GBps) break;
    graph.inside_GBps = next;
  }
  graph.chain = node.gpus == 1 || (node.capability >= 90 && node.nics == node.gpus);
  return graph;
}

// A channel for each GPU, or between nodes for each NIC. The GPU whose channel it is counts twice.
Graph in_switch(const Node& node, bool between) {
  Graph graph{.channels = std::min(between ? node.nics : node.gpus, kMostOfSwitch)};
  if (!node.nvswitch || node.capability < 90 || node.gpus <= 2) return {};
  const Speeds all = speeds(node.capability, between);
  const double most = between ? node.nic_GBps : std::numeric_limits<double>::infinity();
  const auto fits = [&](double speed) {
    return speed <= most && (graph.channels + 1) * speed <= node.gpu_GBps + 1e-6;
  };
  const auto found = std::ranges::find_if(all, fits);
  if (found == all.end()) return {};
  graph.inside_GBps = graph.between_GBps = *found;
  for (auto at = found; at != all.begin() && graph.between_GBps < 2 * graph.inside_GBps;) {
    if (*--at > most) break;
    graph.between_GBps = *at;
  }
  return graph;
}

int channels_of(const Node& node, const Graph& rings, bool between) {
  constexpr int kFew = 16;
  const int channels = 2 * rings.channels;
  const bool fast = node.capability >= 90 && between && rings.inside_GBps > 45;
  return std::min(fast && channels < kFew ? 2 * channels : channels, 2 * kMostChannels);
}

}  // namespace

std::optional<int> compute_capability(std::string_view gpu) {
  struct Row {
    int capability;
    std::vector<std::string> words;
  };
  static const std::vector<Row> rows{{70, {"V100"}},
                                     {75, {"T4", "2080"}},
                                     {80, {"A100", "A800", "A30"}},
                                     {86, {"A10", "A10G", "A40", "3090", "A6000"}},
                                     {89, {"L4", "L40", "L40S", "4090", "L20"}},
                                     {90, {"H100", "H200", "H800", "H20", "GH200"}},
                                     {100, {"B200", "GB200", "B100"}},
                                     {103, {"B300", "GB300"}},
                                     {120, {"5090", "5000", "6000D", "6000"}},
                                     {121, {"GB10"}}};
  for (const Row& row : rows) {
    if (names_gpu(gpu, row.words)) return row.capability;
  }
  return std::nullopt;
}

std::optional<Group> group_of(const Cluster& cluster, const std::vector<int>& ranks, int nodes) {
  const auto capability = compute_capability(cluster.gpu.name);
  if (!capability || ranks.size() < 2) return std::nullopt;
  const Node node = node_of_group(cluster, ranks, nodes, *capability);
  const bool between = nodes > 1;
  Group group{.ranks = static_cast<int>(ranks.size()),
              .nodes = nodes,
              .compute_capability = *capability,
              .processor = node.processor};
  Graph ring = rings(node, between);
  Graph tree = trees(node, ring, between);
  Graph nvls = in_switch(node, between);
  for (Graph* graph : {&ring, &tree, &nvls}) {
    if (!node.nvlink) graph->inside = graph->between = Path::host_bridge;
  }
  group.channels = channels_of(node, ring, between);
  const auto graph = [&](Algorithm algorithm) -> Graph& {
    return group.graphs[static_cast<std::size_t>(algorithm)];
  };
  graph(Algorithm::ring) = ring;
  graph(Algorithm::tree) = graph(Algorithm::pat) = tree;
  graph(Algorithm::nvls) = graph(Algorithm::nvls_tree) = nvls;
  return group;
}

std::shared_ptr<const Tuner> tuner_of(const Cluster& cluster, const std::vector<int>& ranks,
                                      int nodes) {
  if (!cluster.collectives.nccl) return nullptr;
  auto group = group_of(cluster, ranks, nodes);
  if (!group) return nullptr;
  return std::make_shared<const Tuner>(Tuner{*cluster.collectives.nccl, std::move(*group)});
}

}  // namespace sim::nccl
