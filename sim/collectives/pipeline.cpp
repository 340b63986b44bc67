// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/pipeline.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "sim/collectives/link_loads.hpp"

namespace sim {
namespace {

void cross(Passage& passage, const HopPace& hop) {
  for (std::size_t i = 0; i < hop.latency_s.size(); ++i) passage.latency_s[i] += hop.latency_s[i];
  passage.s_per_byte += hop.s_per_byte;
  passage.slowest_s_per_byte = std::max(passage.slowest_s_per_byte, hop.s_per_byte);
}

Passage joined(Passage up, const Passage& down) {
  const double slowest = std::max(up.slowest_s_per_byte, down.slowest_s_per_byte);
  cross(up, {down.latency_s, down.s_per_byte});
  up.slowest_s_per_byte = slowest;
  return up;
}

void add(std::vector<Passage>& passages, const Passage& one) {
  if (std::ranges::any_of(passages, [&](const Passage& other) { return other.covers(one); })) {
    return;
  }
  std::erase_if(passages, [&](const Passage& other) { return one.covers(other); });
  passages.push_back(one);
}

// From the root to the ranks, or back, over the hops that `of_edge` chooses.
std::vector<Passage> one_way(const PacedTree& tree, HopPace PacedEdge::*way) {
  std::vector<Passage> to(tree.size() + 1);
  std::vector<Passage> slowest;
  std::vector<bool> inside(tree.size() + 1);
  for (const PacedEdge& edge : tree) {
    to[edge.child] = to[edge.parent];
    cross(to[edge.child], edge.*way);
    inside[edge.parent] = true;
  }
  for (std::size_t place = 0; place < to.size(); ++place) {
    if (!inside[place]) add(slowest, to[place]);
  }
  return slowest;
}

// Of all legs, which are `parts` of a buffer.
std::vector<HopPaces::Entry> paces_of_hops(const Topology& topology, const Paces& paces,
                                           std::span<const LegDraft> legs, double parts) {
  const Cluster& cluster = topology.cluster();
  LinkLoads loads(topology);
  std::vector<Way> ways;  // of all hops, in their order
  std::unordered_map<int, double> out_of_nodes;
  for (const LegDraft& leg : legs) {
    for (const Hop& hop : leg.hops) {
      const double load = parts * leg.unit * hop.times;
      loads.add(ways.emplace_back(topology.way(hop)), load);
      if (hop.over_network()) out_of_nodes[node_of(cluster, hop.source)] += load;
    }
  }
  const auto cap = cluster.fitted.communicator_bandwidth;
  std::vector<HopPaces::Entry> all;
  all.reserve(ways.size());
  for (const LegDraft& leg : legs) {
    for (Hop hop : leg.hops) {
      const Way& way = ways[all.size()];
      hop.times = 1;
      HopPace pace{step_latencies(topology, paces, hop, way), loads.seconds(way)};
      if (cap && hop.over_network()) {
        const double out = out_of_nodes.at(node_of(cluster, hop.source));
        pace.s_per_byte = std::max(pace.s_per_byte, out / cap->base());
      }
      all.push_back({hop, pace});
    }
  }
  return all;
}

}  // namespace

bool Passage::covers(const Passage& other) const {
  return s_per_byte >= other.s_per_byte && slowest_s_per_byte >= other.slowest_s_per_byte &&
         std::ranges::equal(latency_s, other.latency_s, std::greater_equal());
}

HopPaces::HopPaces(std::vector<Entry> all) : all_(std::move(all)) {
  std::ranges::sort(all_, {}, &Entry::hop);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto source = static_cast<std::size_t>(all_[i].hop.source - all_.front().hop.source);
    while (first_.size() <= source) first_.push_back(i);
  }
}

const HopPace& HopPaces::at(const Hop& hop) const {
  for (auto i = first_.at(static_cast<std::size_t>(hop.source - all_.front().hop.source));
       i < all_.size(); ++i) {
    if (all_[i].hop == hop) return all_[i].pace;
  }
  throw std::logic_error("a hop of no tree");
}

TreePipeline::TreePipeline(const Topology& topology, const Paces& paces,
                           std::span<const LegDraft> legs, double parts)
    : hops_(paces_of_hops(topology, paces, legs, parts)) {}

PacedTree TreePipeline::paced(const Tree& tree) const {
  PacedTree paced;
  paced.reserve(tree.edges.size());
  for (const TreeEdge& edge : tree.edges) {
    paced.push_back({edge.child, edge.parent, hops_.at(edge.up), hops_.at(edge.down)});
  }
  return paced;
}

std::vector<Passage> TreePipeline::passages(const std::vector<Tree>& trees) const {
  std::vector<Passage> slowest;
  for (const Tree& tree : trees) {
    const PacedTree edges = paced(tree);
    const std::vector<Passage> downs = one_way(edges, &PacedEdge::down);
    for (const Passage& up : one_way(edges, &PacedEdge::up)) {
      for (const Passage& down : downs) add(slowest, joined(up, down));
    }
  }
  return slowest;
}

double pipeline_s(const std::vector<Passage>& passages, Protocol protocol, const Chunks& chunks) {
  double longest = 0;
  for (const Passage& one : passages) {
    const double first_s = chunks.streamed ? one.slowest_s_per_byte : one.s_per_byte;
    const double all_s = first_s + (chunks.count - 1) * one.slowest_s_per_byte;
    longest =
        std::max(longest, one.latency_s[static_cast<std::size_t>(protocol)] + chunks.bytes * all_s);
  }
  return longest;
}

double slowest_s_per_byte(const std::vector<Passage>& passages) {
  return std::ranges::max(passages, {}, &Passage::slowest_s_per_byte).slowest_s_per_byte;
}

void append_values(const std::vector<Passage>& passages, std::vector<double>& values) {
  for (const Passage& one : passages) {
    values.insert(values.end(), one.latency_s.begin(), one.latency_s.end());
    values.insert(values.end(), {one.s_per_byte, one.slowest_s_per_byte});
  }
}

}  // namespace sim
