// SPDX-License-Identifier: Apache-2.0
// KnownGroups: groups of programs as they were last drafted, for steps that differ from some of those in
// rates and times alone. What kernels take changes no group; what links take changes drafts, but seldom
// what is alike among them.
#pragma once

#include <memory>

#include "sim/program/alike_classes.hpp"
#include "sim/program/groups.hpp"

namespace sim {

struct DraftedGroups {
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const GroupDrafts> drafts;
  std::shared_ptr<const AlikeClasses> classes;  // null: each group and each rank is simulated
};

// From any thread.
class KnownGroups {
 public:
  // Of the program on the context's cluster, folded.
  [[nodiscard]] DraftedGroups of(const Program& program, const StepContext& context);

 private:
  struct Known {
    GroupsNeeded needed;
    Parallelism parallelism;
    Cluster cluster;  // without what computing takes
    DraftedGroups groups;
  };

  KnownClasses classes_;
  Latest<Known> last_{kMostKeptRanks};
};

}  // namespace sim
