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
  for (const auto& one : known()) {
    if (one->needed == needed && one->parallelism == context.parallelism &&
        one->cluster == cluster) {
      return one->groups;
    }
  }
  DraftedGroups groups{.topology = std::make_shared<const Topology>(context.cluster),
                       .drafts = nullptr,
                       .classes = nullptr};
  groups.drafts = std::make_shared<const GroupDrafts>(
      draft_groups(*groups.topology, needed, context, Detail::folded));
  groups.classes = classes_.of(*groups.topology, groups.drafts);
  know(std::make_shared<const Known>(
      Known{std::move(needed), context.parallelism, std::move(cluster), groups}));
  return groups;
}

std::vector<std::shared_ptr<const KnownGroups::Known>> KnownGroups::known() {
  const std::lock_guard lock(mutex_);
  return last_;
}

void KnownGroups::know(const std::shared_ptr<const Known>& groups) {
  const std::lock_guard lock(mutex_);
  last_.insert(last_.begin(), groups);
  keep_latest(last_, [](const Known& one) { return rank_count(one.cluster); });
}

}  // namespace sim
