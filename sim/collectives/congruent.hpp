// SPDX-License-Identifier: Apache-2.0
// Congruent groups: what one of them sends over its links, another sends over links that lie alike, so
// that it is laid out once. Nodes lie alike that are whole units of a tree of switches apart, and so do
// the GPUs of a node, each with its NIC, unless the node has links of unlike GPUs.
#pragma once

#include <optional>
#include <vector>

#include "sim/collectives/communicator.hpp"

namespace sim {

// From a group to one that is congruent to it. Nothing if it may not be.
[[nodiscard]] std::optional<Shift> shift_between(const Topology& topology,
                                                 const std::vector<int>& from,
                                                 const std::vector<int>& to);

// Drafts groups that run the same collectives, congruent ones once.
class GroupDrafter {
 public:
  // The topology must outlive this.
  GroupDrafter(const Topology& topology, Detail detail, Uses uses)
      : topology_(&topology), detail_(detail), uses_(std::move(uses)) {}

  // As draft_group().
  [[nodiscard]] GroupDraft draft(std::vector<int> ranks);

 private:
  const Topology* topology_;
  Detail detail_;
  Uses uses_;
  std::vector<GroupDraft> models_;  // the last few that were laid out
};

}  // namespace sim
