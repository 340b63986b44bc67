// SPDX-License-Identifier: Apache-2.0
#include "sim/program/known_groups.hpp"

#include <utility>

#include "sim/topology/topology.hpp"

namespace sim {
namespace {

Cluster without_computing(Cluster cluster) {
  cluster.fitted.compute_efficiency.reset();
  cluster.default_efficiency.reset();
  return cluster;
}

}  // namespace

std::shared_ptr<KnownGroups> no_groups_yet() { return std::make_shared<KnownGroups>(); }

DraftedGroups KnownGroups::of(const Program& program, const StepContext& context) {
  GroupsNeeded needed = groups_needed(program);
  Cluster cluster = without_computing(context.cluster);
  const auto known = last_.find([&](const Known& one) {
    return one.needed == needed && one.parallelism == context.parallelism && one.cluster == cluster;
  });
  if (known != nullptr) return known->groups;
  DraftedGroups groups{.topology = std::make_shared<const Topology>(context.cluster),
                       .drafts = nullptr,
                       .classes = nullptr};
  groups.drafts = std::make_shared<const GroupDrafts>(
      draft_groups(*groups.topology, needed, context, Detail::folded));
  groups.classes = classes_.of(*groups.topology, groups.drafts);
  last_.add(std::make_shared<const Known>(
                Known{std::move(needed), context.parallelism, std::move(cluster), groups}),
            rank_count(context.cluster));
  return groups;
}

}  // namespace sim
