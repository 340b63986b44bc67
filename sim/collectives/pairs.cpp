// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/legs.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

using Nodes = std::map<int, std::vector<int>>;  // the group's ranks by their node's place

Nodes members_by_place(const Topology& topology, const std::vector<int>& ranks) {
  Nodes nodes;
  for (const int rank : ranks) {
    nodes[topology.place_of(node_of(topology.cluster(), rank))].push_back(rank);
  }
  return nodes;
}

struct PeerClass {
  int peers = 0;
  std::vector<int> targets;  // the partner that stands for all, or every peer
};

using PeerClasses = std::map<std::size_t, PeerClass>;  // by units left

// Finds the classes of peers of one node after the other, nodes being named by their places. A class
// is what lies in the unit around the node, and not in the next smaller one.
class PeerFinder {
 public:
  PeerFinder(const Topology& topology, const Nodes& nodes)
      : cluster_(topology.cluster()),
        nodes_(nodes),
        units_(cluster_.network.fabric->tapered_units(cluster_.network)) {
    for (const auto& [node, members] : nodes) ids_.push_back(node);
    units_.push_back(topology.fabric_nodes());
  }

  PeerClasses classes_of(int node) {
    PeerClasses classes;
    for (std::size_t far = 0; far < units_.size(); ++far) {
      const Range inner = unit_around(node, far == 0 ? 1 : units_[far - 1]);
      const Range outer = unit_around(node, units_[far]);
      const auto peers = static_cast<int>(outer.size() - inner.size());
      if (peers < 1) continue;
      PeerClass& found = classes[far];
      found.peers = peers;
      if (const int stride = stride_of(far, outer); stride > 0) {
        const auto here = static_cast<std::size_t>(
            std::lower_bound(ids_.begin(), ids_.end(), node) - ids_.begin());
        const std::size_t steps = here - outer.begin + static_cast<std::size_t>(stride);
        found.targets = {ids_[outer.begin + steps % outer.size()]};
      } else {
        found.targets.assign(at(outer.begin), at(inner.begin));
        found.targets.insert(found.targets.end(), at(inner.end), at(outer.end));
      }
    }
    return classes;
  }

 private:
  // Of places in ids_.
  struct Range {
    std::size_t begin, end;
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };

  [[nodiscard]] std::vector<int>::const_iterator at(std::size_t place) const {
    return ids_.begin() + static_cast<std::ptrdiff_t>(place);
  }
  [[nodiscard]] Range unit_around(int node, int nodes) const {
    const int first = node / nodes * nodes;
    const auto place = [&](int id) {
      return static_cast<std::size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) -
                                      ids_.begin());
    };
    return {place(first), place(first + nodes)};
  }

  // From a node to the one at the same place in the next smaller unit inside `outer`; 0 unless the
  // group has as many nodes in every one of these, and the same GPUs of each.
  int stride_of(std::size_t far, const Range& outer) {
    const auto [known, added] = strides_.try_emplace({far, outer.begin}, 0);
    if (!added) return known->second;
    const int small = far == 0 ? 1 : units_[far - 1];
    std::map<int, int> counts;
    for (std::size_t i = outer.begin; i < outer.end; ++i) {
      if (!have_same_gpus(cluster_, nodes_.at(ids_[i]), nodes_.at(ids_[outer.begin]))) return 0;
      ++counts[ids_[i] / small];
    }
    const int stride = counts.begin()->second;
    for (const auto& [unit, count] : counts) {
      if (count != stride) return 0;
    }
    return known->second = stride;
  }

  const Cluster& cluster_;
  const Nodes& nodes_;
  std::vector<int> units_;  // in nodes, innermost first; the last one holds all
  std::vector<int> ids_;    // of the group's nodes, ascending
  std::map<std::pair<std::size_t, std::size_t>, int> strides_;
};

// Counts `hop` once more.
void add_share(std::map<Hop, int>& shares, Hop hop) {
  hop.times = 1;
  ++shares[hop];
}

std::vector<Hop> with_times(const std::map<Hop, int>& shares) {
  std::vector<Hop> hops;
  for (const auto& [hop, times] : shares) {
    hops.push_back(hop);
    hops.back().times = times;
  }
  return hops;
}

// One byte from each GPU of `from` to each of `to`.
void add_pairs(const Topology& topology, const std::vector<int>& from, const std::vector<int>& to,
               std::map<Hop, int>& shares) {
  for (const int source : from) {
    for (const int destination : to) {
      if (source == destination) continue;
      for (const Hop& hop : topology.path(source, destination)) add_share(shares, hop);
    }
  }
}

// Legs of neighbouring nodes that carry as much become one, as a ring's do (fold_lanes()). By class,
// that of a node's own GPUs first.
std::vector<LegDraft> joined(const Cluster& cluster,
                             const std::vector<std::pair<std::size_t, LegDraft>>& legs) {
  using Kind = std::tuple<int, std::size_t, double, std::size_t>;
  std::map<Kind, LegDraft> all;
  for (const auto& [far, leg] : legs) {
    const int place = node_of(cluster, leg.hops.front().source) / kNodesOfLeg;
    const auto [it, added] = all.try_emplace({place, far, leg.unit, leg.hops.size()}, leg);
    if (!added) it->second.hops.insert(it->second.hops.end(), leg.hops.begin(), leg.hops.end());
  }
  std::vector<LegDraft> few;
  for (auto& [kind, leg] : all) few.push_back(std::move(leg));
  return few;
}

// A leg for each node that sends. All pairs begin together and are as long, so those on the link with
// the most of them for its rate end last, together, at a rate that no other falls below: whatever else
// is joined to them, the last one ends when the link has carried all of its own.
std::vector<LegDraft> pairs_by_node(const Topology& topology, const Nodes& nodes,
                                    const std::vector<int>& ranks) {
  std::vector<LegDraft> legs;
  for (const auto& [place, members] : nodes) {
    std::map<Hop, int> shares;
    add_pairs(topology, members, ranks, shares);
    legs.push_back({.hops = with_times(shares)});
  }
  return legs;
}

}  // namespace

std::vector<LegDraft> fold_all_to_all(const Topology& topology, const std::vector<int>& ranks) {
  const Cluster& cluster = topology.cluster();
  const Nodes nodes = members_by_place(topology, ranks);
  const bool has_classes = cluster.network.fabric->tapered_units != nullptr;
  if (cluster.network.load_balance == LoadBalance::ecmp || !has_classes) {
    return pairs_by_node(topology, nodes, ranks);
  }
  PeerFinder finder(topology, nodes);
  std::vector<std::pair<std::size_t, LegDraft>> legs;
  for (const auto& [node, members] : nodes) {
    if (members.size() > 1) {
      std::map<Hop, int> inside;
      add_pairs(topology, members, members, inside);
      legs.push_back({0, {.hops = with_times(inside)}});
    }
    for (const auto& [far, peers] : finder.classes_of(node)) {
      std::map<Hop, int> shares;
      for (const int target : peers.targets) {
        add_pairs(topology, members, nodes.at(target), shares);
      }
      const double stands_for = peers.peers / static_cast<double>(peers.targets.size());
      legs.push_back(
          {far + 1, {.hops = with_times(shares), .unit = stands_for, .channels = stands_for}});
    }
  }
  return joined(cluster, legs);
}

std::vector<LegDraft> list_pairs(const Topology& topology, const std::vector<int>& ranks) {
  std::vector<LegDraft> legs;
  for (const int source : ranks) {
    for (const int destination : ranks) {
      if (source == destination) continue;
      legs.push_back({.hops = topology.path(source, destination)});
    }
  }
  return legs;
}

}  // namespace sim
