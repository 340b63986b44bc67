// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/asked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/base/joined.hpp"
#include "sim/collectives/channels.hpp"
#include "sim/collectives/collective_rows.hpp"
#include "sim/collectives/listed.hpp"
#include "sim/topology/nccl_transports.hpp"

namespace sim {
namespace {

using GroupUses = std::vector<GroupUse>;

std::string_view collective_name(CollectiveKind kind) {
  return std::ranges::find(all_collectives(), kind, &CollectiveRow::collective)->name;
}

std::string shape_text(const GroupShape& shape) {
  if (shape.nodes == 1) return fmt::format("{} GPUs of one node", shape.ranks);
  return fmt::format("{} GPUs {}on {} nodes", shape.ranks, shape.even ? "" : "spread unevenly ",
                     shape.nodes);
}

// "all_gather of 8 GPUs of one node or 16 GPUs on 2 nodes"
std::string text_of(CollectiveKind collective, const GroupUses& uses) {
  std::vector<std::string> shapes;
  for (const GroupUse& use : uses) {
    if (use.collective == collective) shapes.push_back(shape_text(use.shape));
  }
  return fmt::format("{} of {}", collective_name(collective), joined(shapes, " or "));
}

std::string text_of(const GroupUses& uses) {
  std::vector<std::string> texts;
  for (const CollectiveRow& row : all_collectives()) {
    if (std::ranges::find(uses, row.collective, &GroupUse::collective) == uses.end()) continue;
    texts.push_back(text_of(row.collective, uses));
  }
  return joined(texts);
}

// What takes it and what does not.
struct Split {
  GroupUses taken, left;
};

std::string takers_text(std::string_view name, const Split& split) {
  if (split.left.empty()) return fmt::format("{}: every collective", name);
  const std::string taken = split.taken.empty() ? "none" : text_of(split.taken);
  return fmt::format("{}: {}; as by auto: {}", name, taken, text_of(split.left));
}

void add_problem(const std::string& line, bool refused, AskedOutcome& outcome) {
  if (refused) {
    outcome.refusals.push_back(line + "; choose auto");
  } else {
    outcome.exceptions.push_back(line + "; these groups run as by auto");
  }
}

bool asks_for(const Collectives& collectives, CollectiveKind collective, Protocol protocol) {
  if (collectives.protocols) return is_enabled(*collectives.protocols, collective, protocol);
  return collectives.protocol == protocol;
}

// Whether an algorithm from which the collective takes the fastest has a protocol that is asked for.
bool has_protocol(const Topology& topology, const GroupUse& use) {
  const GroupDraft group = draft_group(topology, use.ranks, Detail::folded, {use.collective});
  return std::ranges::any_of(group.laid(), [&](const GroupDraft::Laid& laid) {
    return std::ranges::any_of(kProtocols, [&](Protocol protocol) {
      return asks_for(topology.cluster().collectives, use.collective, protocol) &&
             laid.out.estimate({use.collective, 1, protocol}).has_value();
    });
  });
}

void add_protocol(const Topology& topology, const GroupUses& uses, AskedOutcome& outcome) {
  const Collectives& collectives = topology.cluster().collectives;
  if (!collectives.protocol && !collectives.protocols) return;
  const std::string_view name = collectives.protocols
                                    ? std::string_view(collectives.protocols->text)
                                    : name_of(collectives.protocol, kProtocolNames);
  Split split;
  for (const GroupUse& use : uses) {
    (has_protocol(topology, use) ? split.taken : split.left).push_back(use);
  }
  outcome.takers["collectives.protocol"] = takers_text(name, split);
  if (split.left.empty()) return;
  add_problem(fmt::format("`protocol`: no algorithm on {} runs {} by {}", topology.cluster().name,
                          text_of(split.left), name),
              split.taken.empty(), outcome);
}

// Of one collective that the algorithm runs.
void add_misfits(const Cluster& cluster, CollectiveKind collective, const Split& split,
                 AskedOutcome& outcome) {
  const auto is_of = [&](const GroupUse& use) { return use.collective == collective; };
  if (std::ranges::none_of(split.left, is_of)) return;
  const CollectiveAlgorithm& asked = *cluster.collectives.algorithm;
  add_problem(fmt::format("`algorithm`: {0} cannot run {1} of {2}; {0} needs {3}", asked.name,
                          text_of(collective, split.left), cluster.name, asked.needs),
              std::ranges::none_of(split.taken, is_of), outcome);
}

void add_algorithm(const Cluster& cluster, const GroupUses& uses, AskedOutcome& outcome) {
  const CollectiveAlgorithm* asked = cluster.collectives.algorithm;
  if (asked == nullptr) return;
  Split split;
  for (const GroupUse& use : uses) {
    const bool takes = asked->can_run(use.collective) && asked->can_run_on(cluster, use.shape);
    (takes ? split.taken : split.left).push_back(use);
  }
  outcome.takers["collectives.algorithm"] = takers_text(asked->name, split);
  const bool runs_any = std::ranges::any_of(
      uses, [&](const GroupUse& use) { return asked->can_run(use.collective); });
  if (!runs_any) {
    outcome.exceptions.push_back(fmt::format(
        "`algorithm`: {} runs none of the collectives here: {}", asked->name, text_of(uses)));
  }
  for (const CollectiveKind collective : asked->runs) {
    add_misfits(cluster, collective, split, outcome);
  }
}

// A list is for collectives of NCCL's alone.
void add_algorithms(const Cluster& cluster, const GroupUses& uses, AskedOutcome& outcome) {
  const auto& asked = cluster.collectives.algorithms;
  if (!asked) return;
  Split split;
  for (const GroupUse& use : uses) {
    if (!function_of(use.collective)) continue;
    const bool takes = std::ranges::any_of(all_algorithms(), [&](const CollectiveAlgorithm* one) {
      return is_enabled(*asked, use.collective, *one) && one->can_run(use.collective) &&
             one->can_run_on(cluster, use.shape);
    });
    (takes ? split.taken : split.left).push_back(use);
  }
  outcome.takers["collectives.algorithm"] = takers_text(asked->text, split);
  for (const CollectiveRow& row : all_collectives()) {
    const auto is_of = [&](const GroupUse& use) { return use.collective == row.collective; };
    if (std::ranges::none_of(split.left, is_of)) continue;
    add_problem(fmt::format("`algorithm`: none of {} can run {} of {}", asked->text,
                            text_of(row.collective, split.left), cluster.name),
                std::ranges::none_of(split.taken, is_of), outcome);
  }
}

}  // namespace

void add_uses(const Cluster& cluster, const std::vector<int>& ranks, const Uses& collectives,
              std::vector<GroupUse>& uses) {
  if (ranks.size() < 2) return;
  const GroupShape shape{.ranks = static_cast<int>(ranks.size()),
                         .nodes = count_nodes(cluster, ranks),
                         .even = lie_evenly(cluster, ranks)};
  for (const auto& [collective, algorithm] : collectives) {
    if (algorithm != nullptr) continue;  // not NCCL's
    const auto is_same = [&, kind = collective](const GroupUse& use) {
      return use.collective == kind && use.shape == shape;
    };
    if (std::ranges::none_of(uses, is_same)) uses.push_back({collective, shape, ranks});
  }
}

bool asks(const Collectives& collectives) {
  return collectives.algorithm != nullptr || collectives.algorithms || collectives.protocol ||
         collectives.protocols;
}

AskedOutcome asked_outcome(const Topology& topology, const std::vector<GroupUse>& uses) {
  AskedOutcome outcome;
  if (uses.empty()) return outcome;
  add_algorithm(topology.cluster(), uses, outcome);
  add_algorithms(topology.cluster(), uses, outcome);
  add_protocol(topology, uses, outcome);
  return outcome;
}

}  // namespace sim
