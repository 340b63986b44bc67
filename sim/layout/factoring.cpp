// SPDX-License-Identifier: Apache-2.0
#include "sim/layout/factoring.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"

namespace sim {
namespace {

// Most are.
std::vector<std::vector<int>> ascending(std::vector<std::vector<int>> groups) {
  for (std::vector<int>& ranks : groups) {
    if (!std::ranges::is_sorted(ranks)) std::ranges::sort(ranks);
  }
  return groups;
}

Layout experts_of(int ranks, std::span<const SizedAxis> experts) {
  std::vector<SizedAxis> sized;
  Placement placement = {};
  for (const SizedAxis& one : experts) {
    if (one.axis == nullptr) continue;
    require(one.axis->of == Weights::experts && ranks % one.size == 0,
            "axes of experts divide the ranks of a stage");
    placement[sized.size()] = one.axis;
    sized.push_back(one);
    ranks /= one.size;
  }
  placement[sized.size()] = &axes::expert_data;
  sized.push_back({&axes::expert_data, ranks});
  return {sized, placement};
}

}  // namespace

std::vector<const Axis*> holding_axes(const Layout& layout) {
  std::vector<const Axis*> axes = layout.axes();
  std::erase_if(axes, [](const Axis* axis) { return !holds_the_same(*axis); });
  return axes;
}

Factoring::Factoring(Layout dense, std::span<const SizedAxis> experts)
    : dense_(std::move(dense)),
      experts_(experts_of(dense_.ranks() / dense_.size(axes::pipeline), experts)) {}

std::vector<std::vector<int>> Factoring::stages() const {
  std::vector<const Axis*> in_stage = dense_.axes();
  std::erase(in_stage, &axes::pipeline);
  return ascending(dense_.groups(in_stage));
}

std::vector<const Axis*> Factoring::axes() const {
  std::vector<const Axis*> all = dense_.placed();
  for (const Axis* axis : experts_.placed()) all.push_back(axis);
  return all;
}

int Factoring::holders(Weights group) const {
  int ranks = 1;
  for (const Axis* axis : holding_axes(of(group))) ranks *= size(*axis);
  return ranks;
}

std::vector<std::vector<int>> Factoring::groups(Weights group,
                                                std::span<const Axis* const> axes) const {
  std::vector<std::vector<int>> groups;
  if (group == Weights::dense) {
    groups = dense_.groups(axes);
  } else {
    const std::vector<std::vector<int>> places = experts_.groups(axes);
    for (const std::vector<int>& stage : stages()) {
      for (std::vector<int> ranks : places) {
        for (int& rank : ranks) rank = stage[static_cast<std::size_t>(rank)];
        groups.push_back(std::move(ranks));
      }
    }
  }
  return ascending(std::move(groups));
}

std::vector<std::vector<int>> Factoring::groups(const Axis& axis) const {
  const Axis* const along[] = {&axis};
  return groups(axis.of, along);
}

std::vector<std::vector<int>> Factoring::groups_of_holders(Weights group) const {
  return groups(group, holding_axes(of(group)));
}

}  // namespace sim
