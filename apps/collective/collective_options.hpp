// SPDX-License-Identifier: Apache-2.0
// The flags of `collective`, and what its modes take from them.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/job_options.hpp"
#include "sim/collectives/collective_rows.hpp"

namespace apps {

struct CollectiveOptions {
  JobOptions job;
  std::string name, format;
  sim::Bytes begin, end;
  int factor = 2, split = 1;
  std::string codec;         // of --compress; empty: none
  int value_bytes = 2;       // of an uncompressed element
  sim::Bytes pairs_message;  // of --pairs; 0: no pairs
  bool at_once = false;
};

// Nothing for --help.
[[nodiscard]] std::optional<CollectiveOptions> parse_collective(const Arguments& arguments);

[[nodiscard]] std::vector<double> sizes_of(const CollectiveOptions& options);

// Ranks that run the same at once: rank r is of group r mod `split`.
using RankGroups = std::vector<std::vector<int>>;
[[nodiscard]] RankGroups groups_of(const sim::Cluster& cluster, int split);
// Throws an InputError for a name that --algorithm gives and that no algorithm of the collective has.
void check_algorithm(const CollectiveOptions& options, const sim::CollectiveRow& row);
// Refuses an algorithm or a protocol that no group can take for one of the collectives, and
// warns if some cannot. Returns what takes them: AskedOutcome::takers.
std::map<std::string, std::string> check_asked(const sim::Topology& topology,
                                               const RankGroups& groups,
                                               const sim::Uses& collectives);
// "; nodes: scattered", or nothing for the first ones.
[[nodiscard]] std::string placement_text(const sim::Cluster& cluster);
// The same as a field of a record.
void add_placement(const sim::Cluster& cluster, nlohmann::ordered_json& record);
// "dgx_h100_x16: 3 times 8 GPUs; nodes: scattered"
[[nodiscard]] std::string groups_text(const sim::Cluster& cluster, const RankGroups& groups);

// As asked for; nothing: folded where that is exact. Refuses collectives that are too large to
// simulate step by step.
[[nodiscard]] std::optional<sim::Detail> detail_of(const CollectiveOptions& options,
                                                   const sim::CollectiveRow& row,
                                                   const sim::Cluster& cluster,
                                                   const RankGroups& groups);

}  // namespace apps
