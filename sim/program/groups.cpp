// SPDX-License-Identifier: Apache-2.0
#include "sim/program/groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

// Ranks ascend, so those of a node follow each other.
Lists by_node(const Cluster& cluster, const std::vector<int>& ranks) {
  Lists nodes;
  int node = -1;
  for (const int rank : ranks) {
    if (node_of(cluster, rank) != node) nodes.emplace_back();
    node = node_of(cluster, rank);
    nodes.back().push_back(rank);
  }
  for (const auto& members : nodes) {
    require(members.size() == nodes.front().size(),
            "problems() has found no node with fewer replicas");
  }
  return nodes;
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

class Drafting {
 public:
  Drafting(const Topology& topology, const StepContext& context, Detail detail)
      : topology_(topology),
        context_(context),
        detail_(detail),
        layout_(layout_of(context.cluster, context.parallelism)) {
    std::vector<const Axis*> in_stage;
    for (const Axis* axis : context.parallelism.placement) {
      if (axis != nullptr && axis != &axes::pipeline) in_stage.push_back(axis);
    }
    drafts_.ranks = layout_.groups(in_stage);
    for (std::vector<int>& ranks : drafts_.ranks) std::ranges::sort(ranks);
  }

  GroupDrafts run(const Program& program) && {
    const Placement& placement = context_.parallelism.placement;
    const Needs needs = needs_of(program);
    std::vector<const Axis*> joining(placement.begin(), placement.end());
    std::erase(joining, nullptr);
    joining.push_back(nullptr);  // ranks that hold the same weights
    for (const Axis* axis : joining) {
      if (needs.contains(axis)) join(axis, needs.at(axis));
    }
    for (const auto& [stage, what] : program.instructions) {
      if (const auto* one = std::get_if<Send>(&what)) add_messages(stage, one->to);
      if (std::holds_alternative<SumTied>(what)) join_ends(stage);
    }
    return std::move(drafts_);
  }

 private:
  void join(const Axis* axis, const std::map<Among, std::set<CollectiveKind>>& parts) {
    const int shards = shard_ranks(context_.cluster, context_.parallelism);
    for (std::vector<int>& ranks :
         layout_.groups(joined_axes(context_.parallelism.placement, axis))) {
      const int stage = layout_.place(ranks.front(), axes::pipeline);
      std::ranges::sort(ranks);
      for (const auto& [how, collectives] : parts) {
        for (std::vector<int>& list : among(how, context_.cluster, ranks, shards)) {
          add({stage, axis, how}, std::move(list), {collectives.begin(), collectives.end()});
        }
      }
    }
  }

  void join_ends(int stage) {
    for (const int first : drafts_.ranks[static_cast<std::size_t>(stage)]) {
      const int last = layout_.at(first, axes::pipeline, layout_.size(axes::pipeline) - 1);
      add({stage, &axes::pipeline}, {first, last}, {CollectiveKind::all_reduce});
    }
  }

  void add(const GroupsKey& key, std::vector<int> ranks, const Uses& uses) {
    auto known = std::ranges::find(drafts_.groups, key, [](const auto& one) { return one.first; });
    if (known == drafts_.groups.end()) known = drafts_.groups.insert(known, {key, {}});
    known->second.push_back(draft_group(topology_, std::move(ranks), detail_, uses));
  }

  void add_messages(int from, int to) {
    const auto [known, added] = drafts_.messages.try_emplace({from, to});
    if (!added) return;
    for (const int source : drafts_.ranks[static_cast<std::size_t>(from)]) {
      const int destination = layout_.at(source, axes::pipeline, to);
      MessageWay way{source, destination, topology_.path(source, destination),
                     context_.cluster.collectives.launch.base()};
      for (const Hop& hop : way.hops) way.latency_s += topology_.latency(hop).base();
      known->second.push_back(std::move(way));
    }
  }

  const Topology& topology_;
  const StepContext& context_;
  Detail detail_;
  Layout layout_;
  GroupDrafts drafts_;
};

}  // namespace

GroupDrafts draft_groups(const Topology& topology, const Program& program,
                         const StepContext& context, Detail detail) {
  return Drafting(topology, context, detail).run(program);
}

const std::vector<Communicator>& Groups::of(const GroupsKey& key) const {
  const auto found =
      std::ranges::find(communicators, key, [](const auto& one) { return one.first; });
  require(found != communicators.end(), "groups that the program was drafted for");
  return found->second;
}

Ground every_group(const Topology& topology, const GroupDrafts& drafts, Detail detail) {
  ScheduleBuilder builder(rank_count(topology.cluster()));
  Groups groups{.ranks = drafts.ranks, .communicators = {}, .messages = {}};
  for (const auto& [key, drafted] : drafts.groups) {
    auto& all = groups.communicators.emplace_back(key, std::vector<Communicator>{}).second;
    for (const GroupDraft& one : drafted) all.push_back(add_group(topology, builder, one, detail));
  }
  for (const auto& [stages, ways] : drafts.messages) {
    for (const MessageWay& way : ways) {
      groups.messages[stages].push_back({.route = builder.add_route({.hops = way.hops}),
                                         .latency_s = way.latency_s,
                                         .destination = way.destination});
    }
  }
  return {std::move(builder), std::move(groups)};
}

}  // namespace sim
