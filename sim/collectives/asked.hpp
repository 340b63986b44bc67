// SPDX-License-Identifier: Apache-2.0
// What becomes of the algorithm and the protocol that a cluster asks for (collectives.algorithm and
// collectives.protocol): which groups take them, and why the others do not. Nothing else is taken
// instead without a word.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/collectives/communicator.hpp"

namespace sim {

// Groups of one shape that run a collective.
struct GroupUse {
  CollectiveKind collective = CollectiveKind::all_gather;
  GroupShape shape;
  std::vector<int> ranks;  // of the first of them, ascending
};
// Adds those of the group unless such a group is there, or it has a single rank.
void add_uses(const Cluster& cluster, const std::vector<int>& ranks, const Uses& collectives,
              std::vector<GroupUse>& uses);

struct AskedOutcome {
  // Problems, a line each: no group can run one of the collectives as asked.
  std::vector<std::string> refusals;
  // The same where other groups can, or where no collective is one of the algorithm's.
  std::vector<std::string> exceptions;
  // By key of what was asked for: "ring: all_gather of 16 GPUs on 2 nodes; as by auto: all_to_all
  // of 16 GPUs on 2 nodes".
  std::map<std::string, std::string> takers;
};
// Whether any algorithm or protocol is asked for.
[[nodiscard]] bool asks(const Collectives& collectives);
// Empty where a cluster asks for nothing, and without groups.
[[nodiscard]] AskedOutcome asked_outcome(const Topology& topology,
                                         const std::vector<GroupUse>& uses);

}  // namespace sim
