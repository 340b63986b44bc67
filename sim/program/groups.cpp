// SPDX-License-Identifier: Apache-2.0
#include "sim/program/groups.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace sim {
namespace {

using Lists = std::vector<std::vector<int>>;

// Places `first`, `first + stride`, ... of the ranks.
std::vector<int> every(const std::vector<int>& ranks, int first, int stride, int count) {
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) {
    chosen.push_back(ranks[static_cast<std::size_t>(first + i * stride)]);
  }
  return chosen;
}

Lists by_node(const Cluster& cluster, const std::vector<int>& ranks) {
  std::map<int, std::vector<int>> nodes;
  for (const int rank : ranks) nodes[node_of(cluster, rank)].push_back(rank);
  Lists lists;
  for (auto& [node, members] : nodes) lists.push_back(std::move(members));
  for (const auto& members : lists) {
    require(members.size() == lists.front().size(),
            "problems() has found no node with fewer replicas");
  }
  return lists;
}

// How ranks that hold the same weights, `shards` of which have one set of shards, take part.
Lists among(Among how, const Cluster& cluster, const std::vector<int>& ranks, int shards) {
  const int count = static_cast<int>(ranks.size());
  Lists lists;
  switch (how) {
    case Among::axis:
      return {ranks};
    case Among::shards:
      for (int first = 0; first < count; first += shards) {
        lists.push_back(every(ranks, first, 1, shards));
      }
      return lists;
    case Among::replicas:
      for (int place = 0; place < shards; ++place) {
        lists.push_back(every(ranks, place, shards, count / shards));
      }
      return lists;
    case Among::inside:
      return by_node(cluster, ranks);
    case Among::between:
      const Lists nodes = by_node(cluster, ranks);
      for (std::size_t place = 0; place < nodes.front().size(); ++place) {
        std::vector<int>& across = lists.emplace_back();
        for (const auto& members : nodes) across.push_back(members[place]);
      }
      return lists;
  }
  return lists;
}

// The collectives that a program runs, by axis and by how ranks take part.
using Needs = std::map<const Axis*, std::map<Among, std::set<CollectiveKind>>>;

Needs needs_of(const Program& program) {
  Needs needs;
  for (const Communication& one : program.communications) {
    auto& by_part = needs[one.axis];
    for (const Part& part : one.parts) {
      const auto* transfer = std::get_if<Transfer>(&part.what);
      if (transfer != nullptr) by_part[transfer->among].insert(transfer->collective);
    }
  }
  return needs;
}

// The axes whose ranks a communication joins.
std::vector<const Axis*> joined_axes(const Placement& placement, const Axis* axis) {
  if (axis != nullptr) return {axis};
  std::vector<const Axis*> axes;
  for (const Axis* one : placement) {
    if (one != nullptr && one->same_weights) axes.push_back(one);
  }
  return axes;
}

}  // namespace

Groups::Groups(const Topology& topology, const Layout& layout, const Program& program,
               const StepContext& context, Detail detail, ScheduleBuilder& builder) {
  const Placement& placement = context.parallelism.placement;
  std::vector<const Axis*> in_stage;
  for (const Axis* axis : placement) {
    if (axis != nullptr && axis != &axes::pipeline) in_stage.push_back(axis);
  }
  ranks_ = layout.groups(in_stage);
  const int shards = shard_ranks(context.cluster, context.parallelism);
  const Needs needs = needs_of(program);
  std::vector<const Axis*> joining(placement.begin(), placement.end());
  std::erase(joining, nullptr);
  joining.push_back(nullptr);  // ranks that hold the same weights
  for (const Axis* axis : joining) {
    if (!needs.contains(axis)) continue;
    const auto& parts = needs.at(axis);
    ByStage& stages = joined_[axis];
    stages.resize(ranks_.size());
    for (std::vector<int>& members : layout.groups(joined_axes(placement, axis))) {
      const auto stage = static_cast<std::size_t>(layout.place(members.front(), axes::pipeline));
      std::ranges::sort(members);
      JoinedRanks& joined = stages[stage].emplace_back(JoinedRanks{std::move(members), {}});
      for (const auto& [how, collectives] : parts) {
        for (std::vector<int>& list : among(how, context.cluster, joined.ranks, shards)) {
          joined.communicators[how].push_back(
              make_communicator(topology, builder, std::move(list), detail,
                                {collectives.begin(), collectives.end()}));
        }
      }
    }
  }
}

}  // namespace sim
