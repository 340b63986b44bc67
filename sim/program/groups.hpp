// SPDX-License-Identifier: Apache-2.0
// Groups: the ranks between which a program communicates, and their communicators.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sim/collectives/communicator.hpp"
#include "sim/layout/layout.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/program/program.hpp"

namespace sim {

// Ranks that a communication joins, and their communicators by how they take part.
struct JoinedRanks {
  std::vector<int> ranks;  // ascending
  std::map<Among, std::vector<Communicator>> communicators;
};

class Groups {
 public:
  // With the communicators that the program uses.
  Groups(const Topology& topology, const Layout& layout, const Program& program,
         const StepContext& context, Detail detail, ScheduleBuilder& builder);

  [[nodiscard]] const std::vector<int>& ranks(int stage) const {
    return ranks_[static_cast<std::size_t>(stage)];
  }
  // Of the stage: the groups along the axis, or of ranks that hold the same weights if it is null.
  [[nodiscard]] const std::vector<JoinedRanks>& of(int stage, const Axis* axis) const {
    return joined_.at(axis)[static_cast<std::size_t>(stage)];
  }

 private:
  using ByStage = std::vector<std::vector<JoinedRanks>>;
  std::vector<std::vector<int>> ranks_;    // by stage
  std::map<const Axis*, ByStage> joined_;  // null: ranks that hold the same weights
};

}  // namespace sim
