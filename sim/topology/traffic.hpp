// SPDX-License-Identifier: Apache-2.0
// Traffic: what other jobs on the same fabric send, as a file says. A job's nodes send to each other
// in a pattern, each at most so many bytes per second; where a link has less, all that cross it share
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"
#include "sim/topology/link.hpp"
#include "sim/topology/node_placement.hpp"

namespace sim {

class Topology;

struct TrafficJob {
  enum class Pattern { ring, all_to_all, pairs };

  std::string name;
  NodePlacement placement;  // among nodes that are free, unless listed
  int nodes = 0;
  Pattern pattern = Pattern::ring;
  std::vector<std::pair<int, int>> pairs = {};  // from, to: of the job's nodes, from 0
  Bandwidth bandwidth;                          // that each node offers to send, over all its NICs
  // Sends for `on` in each `period`, beginning with the step; without a period always.
  std::optional<Seconds> period = {}, on = {};
  std::string place = {};  // FILE:LINE:COLUMN of its nodes
  bool operator==(const TrafficJob&) const = default;
};

// The keys of a traffic file.
[[nodiscard]] std::span<const TomlKey> traffic_keys();
// Throws an InputError that reports every problem as file:line:column: key: what; remedy.
[[nodiscard]] std::vector<TrafficJob> read_traffic(const std::filesystem::path& file);
[[nodiscard]] std::vector<TrafficJob> parse_traffic(std::string_view text,
                                                    const std::filesystem::path& file);

// The place of each node of each job, none of which are the cluster's own job's unless they are
// listed. Throws an InputError that begins with the job's place if the cluster lacks its nodes.
[[nodiscard]] std::vector<std::vector<int>> traffic_places(const Cluster& cluster);

// What one node of another job sends: all of it progresses together.
struct TrafficFlow {
  std::string name;                       // "NAME_0"
  std::vector<std::vector<LinkId>> ways;  // one for each share
  double share_Bps = 0;                   // that each share is offered at
  double channels = 1;                    // of each share
  std::optional<Seconds> period = {}, on = {};
};
[[nodiscard]] std::vector<TrafficFlow> traffic_flows(const Topology& topology);

}  // namespace sim
