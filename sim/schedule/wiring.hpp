// SPDX-License-Identifier: Apache-2.0
// Wiring: the links that a schedule's routes cross, independent of clusters and wide areas: the
// engine's only input besides the schedule.
#pragma once

#include <string>
#include <vector>

#include "sim/cluster/topology.hpp"
#include "sim/schedule/schedule.hpp"

namespace sim {

// A link's rate from `at_s` on; 0: it is down, and its traffic waits.
struct RateChange {
  double at_s = 0;
  double rate_Bps = 0;
};

struct WiredLink {
  std::string name;  // unique
  double rate_Bps = 0;
  std::vector<RateChange> changes = {};  // ascending, the first after 0
  double repeats_s = 0;     // period that begins with rate_Bps anew; 0: the changes happen once
  std::string kind = {};    // shared by links with the same role
  std::string set_by = {};  // the key of the input file that sets the rate
};

// Highest rate that the link ever has.
[[nodiscard]] double highest_rate(const WiredLink& link);
// Bytes that the link can carry until `until_s`.
[[nodiscard]] double capacity_bytes(const WiredLink& link, double until_s);

struct Wiring {
  std::vector<WiredLink> links;
  // By Schedule::routes: the links of each; a link that carries k shares of the flow appears k
  // times.
  std::vector<std::vector<LinkId>> routes;
};

// The links of a cluster, and one more per communicator and node if the cluster caps a
// communicator's traffic out of a node (Fitted::communicator_bandwidth):
// "communicator_cap_2_node_0".
[[nodiscard]] Wiring wire(const Schedule& schedule, const Topology& topology);

}  // namespace sim
