// SPDX-License-Identifier: Apache-2.0
#include "sim/program/lone_groups.hpp"

#include <memory>
#include <numeric>
#include <utility>

#include "sim/collectives/congruent.hpp"
#include "sim/program/alike_groups.hpp"

namespace sim {

LoneGroups::LoneGroups(const Topology& topology, std::vector<std::vector<int>> groups, Uses uses,
                       std::optional<Detail> detail)
    : topology_(&topology),
      groups_(std::move(groups)),
      uses_(std::move(uses)),
      may_want_steps_(!detail),
      laid_out_(lay_out(detail.value_or(Detail::folded))) {}

LoneGroups::LaidOut LoneGroups::lay_out(Detail detail) const {
  GroupDrafts made{
      .ranks = {std::vector<int>(static_cast<std::size_t>(rank_count(topology_->cluster())))}};
  std::iota(made.ranks.front().begin(), made.ranks.front().end(), 0);
  auto& all = made.groups.emplace_back(GroupsKey{}, std::vector<GroupDraft>{}).second;
  GroupDrafter drafter(*topology_, detail, uses_);
  for (const std::vector<int>& ranks : groups_) all.push_back(drafter.draft(ranks));
  const auto drafts = std::make_shared<const GroupDrafts>(std::move(made));
  const auto with = [](Ground ground, std::optional<Wiring> wiring) {
    auto& communicators = ground.groups.communicators.front().second;
    return LaidOut{std::move(ground.builder), std::move(communicators), std::move(wiring)};
  };
  if (detail == Detail::folded) {
    if (const auto classes = alike_classes(*topology_, drafts)) {
      AlikeGround alike = alike_ground(*topology_, *drafts, *classes);
      return with(std::move(alike.ground), std::move(alike.wiring));
    }
  }
  return with(every_group(*topology_, *drafts, detail), std::nullopt);
}

LoneGroups::Alone LoneGroups::run(const CollectiveRow& row, double bytes, Buffers buffers) const {
  return run({.collective = row.collective, .bytes = bytes, .buffers = buffers}, row.name);
}

LoneGroups::Alone LoneGroups::run(const Order& order, std::string_view label) const {
  Alone alone = run(laid_out_, order, label);
  if (!may_want_steps_ || !alone.collective.schedule.wants_steps()) return alone;
  return run(lay_out(Detail::step_by_step), order, label);
}

LoneGroups::Alone LoneGroups::run(const LaidOut& on, const Order& order,
                                  std::string_view label) const {
  LoneCollective collective = run_alone(order, label, on.builder, on.groups);
  Wiring wiring = on.wiring ? *on.wiring : wire(collective.schedule, *topology_);
  wiring.routes.resize(collective.schedule.routes.size());  // the others are of no hops
  return {std::move(collective), std::move(wiring)};
}

}  // namespace sim
