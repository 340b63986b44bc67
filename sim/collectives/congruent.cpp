// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/congruent.hpp"

#include <algorithm>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/legs.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

// Groups with which a new one is compared: those of a program have few shapes.
constexpr std::size_t kMostModels = 16;

// Links chosen by hashes are of no pattern, and detours depend on all groups of the dragonfly.
bool has_patterns(const Network& network) {
  return network.load_balance != LoadBalance::ecmp && network.routing != Routing::adaptive;
}

// The same distance between all of `from` and `to`, by `number`.
template <class Number>
std::optional<int> distance(const std::vector<int>& from, const std::vector<int>& to,
                            Number number) {
  const int first = number(to.front()) - number(from.front());
  for (std::size_t i = 1; i < from.size(); ++i) {
    if (number(to[i]) - number(from[i]) != first) return std::nullopt;
  }
  return first;
}

// Exchanging GPUs of each node: either their NICs or a switch of NVLink joins them, not both.
bool has_alike_gpus(const Cluster& cluster, const std::vector<int>& ranks) {
  const int nodes = count_nodes(cluster, ranks);
  const bool one_of_each = static_cast<std::size_t>(nodes) == ranks.size();
  return (one_of_each || nodes == 1) && cluster.network.far_gpus.empty() &&
         !cluster.nvlink.kind->direct && !cluster.nvlink.kind->bridges &&
         cluster.network.fabric->tapered_units != nullptr;
}

// Nodes `shift` apart have the same neighbours in units of so many.
bool keeps_units(int unit, int first, int last, int shift) {
  const auto in_one = [&](int node, int other) { return node / unit == other / unit; };
  return shift % unit == 0 || (in_one(first, last) && in_one(first + shift, last + shift));
}

bool has_alike_nodes(const Cluster& cluster, const std::vector<int>& ranks, int shift) {
  const int first = node_of(cluster, ranks.front()), last = node_of(cluster, ranks.back());
  if (first == last) return true;
  const NetworkFabric& fabric = *cluster.network.fabric;
  if (fabric.tapered_units == nullptr || cluster.placement.kind != NodePlacement::Kind::packed) {
    return false;
  }
  std::vector<int> units{kNodesOfLeg};
  if (fabric.units != nullptr) {
    const std::vector<int> more = fabric.units(cluster.network);
    units.insert(units.end(), more.begin(), more.end());
  }
  return std::ranges::all_of(units,
                             [&](int unit) { return keeps_units(unit, first, last, shift); });
}

}  // namespace

std::optional<Shift> shift_between(const Topology& topology, const std::vector<int>& from,
                                   const std::vector<int>& to) {
  const Cluster& cluster = topology.cluster();
  if (from.size() != to.size() || !has_patterns(cluster.network)) return std::nullopt;
  const auto nodes = distance(from, to, [&](int rank) { return node_of(cluster, rank); });
  const auto gpus = distance(from, to, [&](int rank) { return gpu_of(cluster, rank); });
  if (!nodes || !gpus || !has_alike_nodes(cluster, from, *nodes)) return std::nullopt;
  if (*gpus != 0 && !has_alike_gpus(cluster, from)) return std::nullopt;
  const auto nics = distance(from, to, [&](int rank) { return nic_of(cluster, rank); });
  if (!nics) return std::nullopt;
  return Shift{.ranks = to.front() - from.front(), .nics = *nics};
}

GroupDraft GroupDrafter::draft(std::vector<int> ranks) {
  for (const GroupDraft& model : models_) {
    if (const auto shift = shift_between(*topology_, model.ranks, ranks)) {
      GroupDraft draft = model;
      draft.ranks = std::move(ranks);
      draft.shift = *shift;
      return draft;
    }
  }
  GroupDraft draft = draft_group(*topology_, std::move(ranks), detail_, uses_);
  if (models_.size() == kMostModels) models_.erase(models_.begin());
  models_.push_back(draft);
  return draft;
}

}  // namespace sim
