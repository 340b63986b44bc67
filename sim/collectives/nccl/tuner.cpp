// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/nccl/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/collectives/nccl/constants.hpp"

namespace sim::nccl {
namespace {

bool is_gather(CollectiveKind collective) {
  return collective == CollectiveKind::all_gather || collective == CollectiveKind::reduce_scatter;
}

bool in_switch(Algorithm algorithm) {
  return algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
}

double log2_of(int count) { return std::floor(std::log2(count)); }

// Question of one cost.
struct Case {
  NcclVersion version;
  const Group& group;
  CollectiveKind collective;
  Algorithm algorithm;
  Protocol protocol;

  [[nodiscard]] const Graph& graph() const { return group.graph(algorithm); }
  [[nodiscard]] bool sums() const { return collective == CollectiveKind::all_reduce; }
  [[nodiscard]] double per_node() const { return static_cast<double>(group.ranks) / group.nodes; }
  [[nodiscard]] int steps() const {  // of a ring
    if (sums()) return 2 * (group.ranks - 1);
    return is_gather(collective) ? group.ranks - 1 : group.ranks;
  }
};

bool runs_collective(const Case& one) {
  switch (one.algorithm) {
    case Algorithm::ring:
      return true;
    case Algorithm::pat:  // for nodes of one GPU
      return is_gather(one.collective) && one.version >= kPat && one.group.nodes == one.group.ranks;
    case Algorithm::nvls:
      if (one.sums()) return true;
      return is_gather(one.collective) && one.version >= kGathersInSwitch && one.group.nodes == 1 &&
             one.group.ranks <= kMostOfSwitch;
    default:
      return one.sums();
  }
}

bool is_supported(const Case& one) {
  const Graph& graph = one.graph();
  if (graph.channels == 0) return false;
  if (one.algorithm == Algorithm::nvls) return one.group.nodes == 1;
  if (one.algorithm == Algorithm::nvls_tree) return one.group.nodes > 1;
  return true;
}

bool takes_ll128(const Case& one) {
  const int capability = one.group.compute_capability;
  const Path farthest = capability >= 90 ? Path::other_gpu : Path::pcie_switch;
  return has_ll128(one.version, capability) && one.graph().inside == Path::nvlink &&
         one.graph().between <= farthest;
}

bool has_protocol(const Case& one) {
  if (one.protocol == Protocol::simple) return true;
  const bool simple_only = in_switch(one.algorithm) || one.algorithm == Algorithm::pat;
  if (simple_only) return false;
  return one.protocol == Protocol::ll || takes_ll128(one);
}

// Of a channel whose bytes the switch sums.
double switch_GBps(const Case& one) {
  const Graph& graph = one.graph();
  const bool few_nodes = one.group.nodes <= 2;
  const bool trees = one.algorithm == Algorithm::nvls_tree;
  if (one.version >= kSwitchEfficiency) {
    if (graph.channels < 2) return 0;
    const double most =
        trees ? nvls_tree_channel_GBps(one.group) : std::numeric_limits<double>::infinity();
    const double inside = graph.inside_GBps * switch_efficiency(one.group) * (graph.channels - 1) /
                          graph.channels * (one.sums() ? 2 : (one.per_node() - 1) / one.per_node());
    return std::min({inside, graph.between_GBps * (few_nodes && trees ? 2 : 1), most});
  }
  if (one.version < kGathersInSwitch) return few_nodes ? graph.inside_GBps : graph.between_GBps;
  if (trees) return std::min(graph.inside_GBps, graph.between_GBps / (few_nodes ? 1 : 2));
  if (one.sums() || one.version < kGathersByShare) {
    return std::min(graph.inside_GBps, graph.between_GBps);
  }
  return std::min(graph.inside_GBps * (one.per_node() - 1) / one.per_node(),
                  0.9 * graph.between_GBps);
}

double ring_GBps(const Case& one, double bus) {
  const Graph& graph = one.graph();
  if (one.protocol == Protocol::ll) {
    const bool quarter = one.group.nodes > 1 || one.sums();
    const double share = one.version >= kHalfByLl ? 0.5 : quarter ? 1 / 4. : 1 / 3.;
    return std::min(ll_GBps(one.version, one.group), bus * share);
  }
  if (one.protocol == Protocol::ll128) {
    const bool lone = one.per_node() < 2 && one.version < kLoneGpusAsTrees;
    return std::min(bus * (lone ? 0.7 : 0.92),
                    graph.channels * ring_ll128_channel_GBps(one.version, one.group));
  }
  return bus;
}

double tree_GBps(const Case& one, double bus) {
  const Graph& graph = one.graph();
  bus = std::min(0.92 * bus, graph.channels * tree_channel_GBps(one.version, one.group));
  if (one.protocol == Protocol::ll) bus = std::min(bus / 3.8, ll_GBps(one.version, one.group));
  if (one.protocol == Protocol::ll128) {
    bus = std::min(bus * (one.group.nodes == 1 ? 7. / 9 : 120. / 128),
                   graph.channels * tree_ll128_channel_GBps(one.version, one.group));
  }
  return graph.chain ? 0.85 * bus : bus;
}

// Bytes of the buffer for each byte on the busiest link.
double buffer_share(const Case& one) {
  const double ring = static_cast<double>(one.group.ranks) / one.steps();
  if (one.algorithm == Algorithm::ring) return ring;
  if (is_gather(one.collective) && one.version >= kPat) return 1;
  if (!in_switch(one.algorithm)) return 0.5;
  if (one.version >= kSwitchEfficiency) return ring;
  const int nodes = one.group.nodes;
  if (one.algorithm == Algorithm::nvls_tree && one.version < kGathersInSwitch) {
    return 0.7 * nodes / (2 * (nodes - 1));
  }
  return 5. / 6;
}

double rate_of(const Case& one) {
  const Graph& graph = one.graph();
  const bool inside = one.group.nodes <= 2;
  const double channel = in_switch(one.algorithm) ? switch_GBps(one)
                         : inside                 ? graph.inside_GBps
                                                  : graph.between_GBps;
  double bus = graph.channels * channel;
  if (one.algorithm == Algorithm::ring) bus = ring_GBps(one, bus);
  if (one.algorithm == Algorithm::tree) bus = tree_GBps(one, bus);
  if (one.algorithm == Algorithm::pat) bus *= one.version >= kSlowerPat ? 0.75 : 0.85;
  return bus * buffer_share(one);
}

double ring_us(const Case& one, double inside_us, double between_us) {
  const Group& group = one.group;
  if (one.collective == CollectiveKind::broadcast) {
    return group.nodes == 1 ? inside_us
                            : step_us(one.version, Link::network, one.algorithm, one.protocol);
  }
  const double posted_us =
      (group.processor == Processor::amd ? 2 : 1) * (one.protocol == Protocol::simple ? 3 : 1);
  if (group.nodes > 1) inside_us = std::max(inside_us, posted_us);
  int between = group.nodes == 1 ? 0 : (one.sums() ? 2 : 1) * (group.nodes - 1);
  if (one.sums() && group.nodes > 1 && one.version < kLoneGpusAsTrees) between = 2 * group.nodes;
  return (one.steps() - between) * inside_us + between * between_us;
}

double latency_us(const Case& one) {
  const Group& group = one.group;
  const Link link =
      one.graph().inside == Path::nvlink && group.ranks > group.nodes ? Link::nvlink : Link::pcie;
  const double inside_us = step_us(one.version, link, one.algorithm, one.protocol);
  const bool as_tree = group.ranks == group.nodes && one.version >= kLoneGpusAsTrees;
  const double between_us =
      step_us(one.version, Link::network, as_tree ? Algorithm::tree : one.algorithm, one.protocol);
  const double base_us = start_us(one.version, one.algorithm, one.protocol);
  const int more = group.ranks / group.nodes - 1;  // GPUs of a node beside the first
  switch (one.algorithm) {
    case Algorithm::ring:
      return base_us + ring_us(one, inside_us, between_us);
    case Algorithm::tree:
      return base_us + 2 * (more * inside_us + log2_of(group.nodes) * between_us);
    case Algorithm::nvls:
      return base_us + inside_us + (group.nodes > 1 ? between_us : 0);
    case Algorithm::nvls_tree: {
      const double steps = one.version < kGathersInSwitch ? group.nodes - 1 : log2_of(group.nodes);
      return base_us + inside_us + 2 * steps * between_us;
    }
    case Algorithm::pat:
      return base_us + log2_of(group.nodes) * between_us / 3.5 + group.ranks * 2.8;
  }
  return 0;
}

}  // namespace

int channels_taken(const Group& group, Algorithm algorithm, Protocol protocol, double bytes) {
  // Threads of a channel, and bytes that each of them gets at least.
  constexpr std::array kThreads{512, 640, 512};
  constexpr std::array kBytes{8, 8, 64};
  const auto at = static_cast<std::size_t>(protocol);
  double least = kThreads[at] * kBytes[at];
  if (algorithm == Algorithm::ring && protocol == Protocol::ll) least *= group.ranks;
  return std::clamp(static_cast<int>(std::min(bytes / least, 1e6)), 1, group.channels);
}

bool chooses(CollectiveKind collective) {
  return collective == CollectiveKind::all_reduce || is_gather(collective);
}

std::optional<Cost> cost(const Tuner& tuner, CollectiveKind collective, Algorithm algorithm,
                         Protocol protocol) {
  const Case one{tuner.version, tuner.group, collective, algorithm, protocol};
  if (!runs_collective(one) || !is_supported(one) || !has_protocol(one)) return std::nullopt;
  const double rate = rate_of(one);
  if (rate <= 0) return std::nullopt;
  return Cost{.latency_us = latency_us(one), .GBps = rate};
}

std::optional<double> expected_us(const Tuner& tuner, CollectiveKind collective,
                                  Algorithm algorithm, Protocol protocol, double bytes) {
  auto found = cost(tuner, collective, algorithm, protocol);
  if (!found) return std::nullopt;
  const Group& group = tuner.group;
  const bool sums = collective == CollectiveKind::all_reduce;
  const bool as_tree = algorithm == Algorithm::tree || (algorithm == Algorithm::nvls_tree &&
                                                        corrects_nvls_tree(tuner.version, group));
  if (as_tree && sums) found->GBps *= tree_correction(tuner.version, protocol, bytes);
  constexpr double kPlateauBytes = 64;  // of a rank's share of a channel
  if (algorithm == Algorithm::ring && protocol == Protocol::simple && group.nodes > 1 && sums &&
      std::floor(bytes / (static_cast<double>(group.channels) * group.ranks)) >= kPlateauBytes) {
    found->latency_us *= group.compute_capability < 80 ? 1.9 : 1.4;
  }
  return found->latency_us + bytes / (1000 * found->GBps);
}

}  // namespace sim::nccl
