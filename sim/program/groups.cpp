// SPDX-License-Identifier: Apache-2.0
#include "sim/program/groups.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/collectives/congruent.hpp"

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

using Joined = GroupsNeeded::Joined;
using Parts = GroupsNeeded::Parts;

// Visits the groups of a program, axis by axis, and the pairs that sum tied embeddings.
class Joining {
 public:
  Joining(const StepContext& context, const VisitGroup& visit)
      : context_(context),
        visit_(visit),
        factoring_(factoring_of(context.cluster, context.parallelism)) {}

  void run(const GroupsNeeded& needed) const {
    for (const Joined& joined : in_order()) {
      const auto found = needed.collectives.find(joined);
      if (found != needed.collectives.end()) join(joined, found->second);
    }
    for (const int stage : needed.tied) join_ends(stage);
  }

 private:
  [[nodiscard]] std::vector<Joined> in_order() const {
    std::vector<Joined> all;
    for (const Axis* axis : factoring_.axes()) all.emplace_back(axis, Weights::dense);
    all.emplace_back(nullptr, Weights::dense);
    all.emplace_back(nullptr, Weights::experts);
    return all;
  }

  void join(const Joined& joined, const Parts& parts) const {
    const auto& [axis, weights] = joined;
    const int shards = shard_ranks(context_.cluster, context_.parallelism, weights);
    for (const std::vector<int>& ranks :
         axis != nullptr ? factoring_.groups(*axis) : factoring_.groups_of_holders(weights)) {
      const int stage = factoring_.dense().place(ranks.front(), axes::pipeline);
      for (const auto& [how, collectives] : parts) {
        for (std::vector<int>& list : among(how, context_.cluster, ranks, shards)) {
          visit_({stage, axis, how, weights}, std::move(list),
                 {collectives.begin(), collectives.end()});
        }
      }
    }
  }

  void join_ends(int stage) const {
    const Layout& layout = factoring_.dense();
    const std::vector<std::vector<int>> stages = factoring_.stages();
    for (const int first : stages[static_cast<std::size_t>(stage)]) {
      const int last = layout.at(first, axes::pipeline, layout.size(axes::pipeline) - 1);
      visit_({stage, &axes::pipeline}, {first, last}, {CollectiveKind::all_reduce});
    }
  }

  const StepContext& context_;
  const VisitGroup& visit_;
  Factoring factoring_;
};

void add_messages(const Topology& topology, const Layout& layout, std::pair<int, int> stages,
                  GroupDrafts& drafts) {
  std::vector<MessageWay>& ways = drafts.messages[stages];
  for (const int source : drafts.ranks[static_cast<std::size_t>(stages.first)]) {
    const int destination = layout.at(source, axes::pipeline, stages.second);
    MessageWay way{source, destination, topology.path(source, destination),
                   topology.cluster().collectives.launch.base()};
    for (const Hop& hop : way.hops) way.latency_s += topology.latency(hop).base();
    ways.push_back(std::move(way));
  }
}

}  // namespace

GroupsNeeded groups_needed(const Program& program) {
  GroupsNeeded needed;
  for (const Communication& one : program.communications) {
    Parts& by_part = needed.collectives[{one.axis, one.joined()}];
    for (const Part& part : one.parts) {
      const auto* transfer = std::get_if<Transfer>(&part.what);
      if (transfer == nullptr) continue;
      by_part[transfer->among].insert({transfer->collective, transfer->algorithm});
    }
  }
  for (const auto& [stage, what, period] : program.instructions) {
    if (const auto* one = std::get_if<Send>(&what)) needed.messages.insert({stage, one->to});
    if (std::holds_alternative<SumTied>(what)) needed.tied.push_back(stage);
  }
  return needed;
}

void for_each_group(const GroupsNeeded& needed, const StepContext& context,
                    const VisitGroup& visit) {
  Joining(context, visit).run(needed);
}

Ranks first_group(const StepContext& context, const GroupsKey& key) {
  const Cluster& cluster = context.cluster;
  const Factoring factoring = factoring_of(cluster, context.parallelism);
  const int shards = shard_ranks(cluster, context.parallelism, key.weights);
  for (const Ranks& ranks : key.axis != nullptr ? factoring.groups(*key.axis)
                                                : factoring.groups_of_holders(key.weights)) {
    if (factoring.dense().place(ranks.front(), axes::pipeline) != key.stage) continue;
    Ranks first = std::move(among(key.among, cluster, ranks, shards).front());
    const int moved = node_of(cluster, first.front()) * cluster.gpus_per_node;
    for (int& rank : first) rank -= moved;
    return first;
  }
  return {};
}

GroupDrafts draft_groups(const Topology& topology, const GroupsNeeded& needed,
                         const StepContext& context, Detail detail) {
  const Factoring factoring = factoring_of(context.cluster, context.parallelism);
  GroupDrafts drafts{.ranks = factoring.stages(), .layout = factoring.dense()};
  std::vector<std::pair<Uses, GroupDrafter>> drafters;
  const auto drafter = [&](const Uses& uses) -> GroupDrafter& {
    const auto known = std::ranges::find(drafters, uses, [](const auto& one) { return one.first; });
    if (known != drafters.end()) return known->second;
    return drafters.emplace_back(uses, GroupDrafter(topology, detail, uses)).second;
  };
  for_each_group(needed, context, [&](const GroupsKey& key, Ranks ranks, const Uses& uses) {
    auto known = std::ranges::find(drafts.groups, key, [](const auto& one) { return one.first; });
    if (known == drafts.groups.end()) known = drafts.groups.insert(known, {key, {}});
    known->second.push_back(drafter(uses).draft(std::move(ranks)));
  });
  for (const auto& stages : needed.messages) {
    add_messages(topology, factoring.dense(), stages, drafts);
  }
  return drafts;
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
