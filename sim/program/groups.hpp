// SPDX-License-Identifier: Apache-2.0
// Groups: between which ranks a program's collectives and messages go, and over which flows.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/collectives/communicator.hpp"
#include "sim/layout/layout.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/program/program.hpp"

namespace sim {

// The groups of a stage along an axis, or of ranks that hold the same of a group of parameters if it is
// null; along axes::pipeline, its ranks and their neighbours in the last stage.
struct GroupsKey {
  int stage = 0;
  const Axis* axis = nullptr;
  Among among = Among::axis;
  Weights weights = Weights::dense;
  bool operator==(const GroupsKey&) const = default;
};

// What a program needs of groups.
struct GroupsNeeded {
  // Along an axis, or of holders of weights: the collectives, by how ranks take part.
  using Joined = std::pair<const Axis*, Weights>;
  using Parts = std::map<Among, std::set<Use>>;
  std::map<Joined, Parts> collectives;
  std::vector<int> tied;                   // stages that sum embeddings with the last one
  std::set<std::pair<int, int>> messages;  // between stages, from and to
  bool operator==(const GroupsNeeded&) const = default;
};
[[nodiscard]] GroupsNeeded groups_needed(const Program& program);

// Calls `visit` with the ranks of each group, ascending, and the collectives that the program runs
// over them.
using Ranks = std::vector<int>;
using VisitGroup = std::function<void(const GroupsKey& key, Ranks ranks, const Uses& uses)>;
void for_each_group(const GroupsNeeded& needed, const StepContext& context,
                    const VisitGroup& visit);

// The ranks of the first of a stage's groups, moved to the cluster's first node.
[[nodiscard]] Ranks first_group(const StepContext& context, const GroupsKey& key);

// A message from one stage to another.
struct MessageWay {
  int source = 0, destination = 0;
  std::vector<Hop> hops;
  double latency_s = 0;
};

// All of a program, before it is part of a schedule.
struct GroupDrafts {
  std::vector<std::vector<int>> ranks;  // by stage, ascending
  std::optional<Layout> layout = {};    // of a program's ranks
  std::vector<std::pair<GroupsKey, std::vector<GroupDraft>>> groups;
  std::map<std::pair<int, int>, std::vector<MessageWay>> messages;  // by stages, from and to
};
[[nodiscard]] GroupDrafts draft_groups(const Topology& topology, const GroupsNeeded& needed,
                                       const StepContext& context, Detail detail);

// Of what was drafted last, ranks of as many steps are kept (Latest).
inline constexpr std::int64_t kMostKeptRanks = 1 << 17;

// The same in a schedule.
struct Groups {
  struct Message {
    std::uint32_t route = 0;
    double latency_s = 0;
    int destination = 0;
    double alike = 1;  // messages that it stands for
  };

  std::vector<std::vector<int>> ranks;  // by stage, ascending
  std::vector<std::pair<GroupsKey, std::vector<Communicator>>> communicators;
  std::map<std::pair<int, int>, std::vector<Message>> messages;  // by stages, in order of `ranks`

  [[nodiscard]] const std::vector<Communicator>& of(const GroupsKey& key) const;
};

// What a program is expanded on.
struct Ground {
  ScheduleBuilder builder;
  Groups groups;
};
// Each rank and each group for itself.
[[nodiscard]] Ground every_group(const Topology& topology, const GroupDrafts& drafts,
                                 Detail detail);

}  // namespace sim
