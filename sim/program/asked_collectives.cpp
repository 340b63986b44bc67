// SPDX-License-Identifier: Apache-2.0
#include "sim/program/asked_collectives.hpp"

#include <vector>

#include "sim/program/groups.hpp"
#include "sim/program/lay_out.hpp"

namespace sim {

AskedOutcome asked_outcome(const StepContext& context, const Scheme& scheme) {
  const Cluster& cluster = context.cluster;
  if (!asks(cluster.collectives)) return {};
  StepContext changed = context;
  changed.parallelism = as_the_scheme_runs_it(context.parallelism, scheme);
  std::vector<GroupUse> uses;
  for_each_group(groups_needed(lay_out_once(context, scheme)), changed,
                 [&](const GroupsKey&, const Ranks& ranks, const Uses& collectives) {
                   add_uses(cluster, ranks, collectives, uses);
                 });
  return asked_outcome(Topology(cluster), uses);
}

}  // namespace sim
